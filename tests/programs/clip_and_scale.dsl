# Integers clipped to a range, scaled and shifted.
fn clip_and_scale(x: i64[n, m], y: i64[n, m], a: i64, b: i64, c: i64) -> (z: i64[n, m]) {
    z = min(max(x, 2), 10) * a + y * b + c
}
