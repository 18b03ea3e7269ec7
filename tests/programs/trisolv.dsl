# Forward substitution with a lower triangle.
fn trisolv(l: f64[n, n], b: f64[n]) -> (x: f64[n]) {
    x = zeros(n)
    for i in 0..n {
        x[i] = (b[i] - sum(l[i, :] * x)) / l[i, i]
    }
}
