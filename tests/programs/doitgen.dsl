# Multiresolution analysis: every matrix of a stack times one matrix.
fn doitgen(a: f64[r, q, p], c4: f64[p, p]) -> (b: f64[r, q, p]) {
    b = a @ c4
}
