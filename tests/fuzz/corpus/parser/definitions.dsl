fn a(x) = x
fn b(x: f32[n, 3], const k: i64 = 2, y = none,) -> f32[n] = x
fn c(x: t[n])
    -> (y: t[n], z: i64) { y = x
}
fn d() -> (f32, f32) = (1, 2)
elemental fn e(x: f32, y) -> f32 {
    return x
}
extern fn f(x: f32, y: f32) -> f32 { cuda: "x + y" cpu: "x + y" }
extern fn g(x: f32) -> f32 {
    cuda: """
float y = x;
"y"\
"""
    cpu: "x"
}
