# Symmetric rank-k update of a lower triangle.
fn syrk(alpha: f64, beta: f64, c: f64[n, n], a: f64[n, m]) -> (d: f64[n, n]) {
    lower = iota(n)[:, newaxis] >= iota(n)[newaxis, :]
    d = where(lower, alpha * (a @ a.T) + beta * c, c)
}
