# Jacobi smoothing of a line by alternate steps.
fn jacobi_1d(steps: i64, a0: f64[n], b0: f64[n]) -> (a: f64[n], b: f64[n]) {
    a = a0
    b = b0
    for t in 1..steps {
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    }
}
