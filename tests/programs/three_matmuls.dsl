# A chain of matrix products.
fn three_matmuls(a: f64[n, k], b: f64[k, m], c: f64[m, l], d: f64[l, p]) -> (e: f64[n, p]) {
    e = (a @ b) @ (c @ d)
}
