# Solves A x = b for a positive definite A to a relative residual.
fn conjugate_gradients(a: f64[n, n], b: f64[n], tolerance: f64) -> (x: f64[n], steps: i64) {
    x = zeros(n)
    r = b
    p = r
    rr = sum(r * r)
    limit = tolerance**2 * rr
    steps = i64(0)
    while rr > limit and steps < 1000 {
        q = a @ p
        alpha = rr / sum(p * q)
        x = x + alpha * p
        r = r - alpha * q
        next = sum(r * r)
        p = r + next / rr * p
        rr = next
        steps = steps + 1
    }
}
