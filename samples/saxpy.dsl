# a * x + y: the smallest kernel. `n` and `a` are arguments of it.
# fuseline run samples/saxpy.dsl [--set n=1000000] [--set a=3]

fn saxpy(a: f32, x: f32[n], y: f32[n]) -> f32[n] = a * x + y

param n: i64 = 8
param a: f32 = 2

x = f32(arange(n))
y = ones(n, dtype=f32)
print(saxpy(a, x, y))
