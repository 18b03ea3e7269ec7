# Two matrix-vector products, one with the transpose, added to vectors.
fn mvt(x1: f64[n], x2: f64[n], y1: f64[n], y2: f64[n], a: f64[n, n]) -> (z1: f64[n], z2: f64[n]) {
    z1 = x1 + a @ y1
    z2 = x2 + a.T @ y2
}
