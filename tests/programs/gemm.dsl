# alpha A B + beta C.
fn gemm(alpha: f64, beta: f64, a: f64[n, k], b: f64[k, m], c: f64[n, m]) -> (d: f64[n, m]) {
    d = alpha * (a @ b) + beta * c
}
