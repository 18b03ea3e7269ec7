# Jacobi smoothing of a plane by alternate steps.
fn cross(a: f64[n, m]) = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])

fn jacobi_2d(steps: i64, a0: f64[n, m], b0: f64[n, m]) -> (a: f64[n, m], b: f64[n, m]) {
    a = a0
    b = b0
    for t in 1..steps {
        b[1:-1, 1:-1] = cross(a)
        a[1:-1, 1:-1] = cross(b)
    }
}
