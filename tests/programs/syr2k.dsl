# Symmetric rank-2k update of a lower triangle.
fn syr2k(alpha: f64, beta: f64, c: f64[n, n], a: f64[n, m], b: f64[n, m]) -> (d: f64[n, n]) {
    lower = iota(n)[:, newaxis] >= iota(n)[newaxis, :]
    d = where(lower, alpha * (a @ b.T) + alpha * (b @ a.T) + beta * c, c)
}
