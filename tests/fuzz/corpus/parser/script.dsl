import "lib.dsl"
option contract
option fast
param rate: f32 = 0.02
param n: i64 = 2 * 3
x: f32[n, m] = load("x.npy")
y = x * rate
print(y, "text")
save("y.npy", y)
show("y.png", y, colormap="viridis")
assert n > 3, "n"
by = 1
reversed = by + newaxis
print(reversed)
σ₁ = µ * größe
