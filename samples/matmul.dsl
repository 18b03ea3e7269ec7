# The product of two matrices. bench/matmul_times.py times it.
# fuseline run samples/matmul.dsl [--set n=1000]

fn product(a: f32[n, k], b: f32[k, m]) -> f32[n, m] = a @ b

param n: i64 = 200

i = f32(arange(n))
a = 1 / (1 + i[:, newaxis] + i)
b = 1 / (1 + abs(i[:, newaxis] - i))
c = product(a, b)
print("first row", c[0, :5])
print("trace", sum(diagonal(c)), "mean", mean(c), "largest", max(c))
