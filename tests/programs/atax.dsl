# A transposed times A times x.
fn atax(a: f64[n, m], x: f64[m]) -> (y: f64[m]) {
    y = (a @ x) @ a
}
