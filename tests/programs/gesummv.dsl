# A sum of two matrix-vector products.
fn gesummv(alpha: f64, beta: f64, a: f64[n, m], b: f64[n, m], x: f64[m]) -> (y: f64[n]) {
    y = alpha * (a @ x) + beta * (b @ x)
}
