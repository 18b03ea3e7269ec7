# LU factors in one matrix, without pivoting; what a step must not touch is masked.
fn lu_factors(a: f64[n, n]) -> (lu: f64[n, n]) {
    lu = a
    row = iota(n)
    for k in 0..n {
        factor = where(row > k, lu[:, k] / lu[k, k], 0)
        lu = where(row[newaxis, :] > k, lu - factor[:, newaxis] * lu[k, :][newaxis, :], lu)
        lu[:, k] = where(row > k, factor, lu[:, k])
    }
}
