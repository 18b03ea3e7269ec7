y = .5 * 2
fn f(x) = 5. * x
y = 1.e3
y = 1.5f
fn f(x) = 2x + 1
y = 3j
y = 007
y = 0o17
y = 0xfg
y = 0b012
y = 1_000_
y = 1__000
save('out.npy', 1)
save("out.npy, 1)
print(2 +)
extern fn f(x: f32) -> f32 {
    cuda: """x
}
save("a\qb.npy", 1)
fn f(x) = x > 0 ? x : 0
fn f(x) = ~x
y = 1 + \
    2
y = $3
z = 4 `
fn f(x, y) = x × y − 1 ≤ 3
fn f(x) = x² + 1
save(“out.npy”, 1)
y = 1 + 2
y = 1 2
幅 = 3; 高 = )
fn f(x) {
	y	= x +* 2
	y
}
fn f(x, y, z) = x && y || z
fn f(x) = !x
fn f(x, y) = x <> y
fn f(x, y) = x === y
y = x.3 + 1
z = f(x).0
