# Cholesky factor, right-looking; what a step must not touch is masked.
fn cholesky_factor(a: f64[n, n]) -> (l: f64[n, n]) {
    l = a
    row = iota(n)
    for k in 0..n {
        column = where(row >= k, l[:, k] / sqrt(l[k, k]), 0)
        l = where(row[newaxis, :] > k, l - column[:, newaxis] * column[newaxis, :], l)
        l[:, k] = column
    }
    l = tril(l)
}
