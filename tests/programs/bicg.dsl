# The two products of the biconjugate gradient method.
fn bicg(a: f64[n, m], p: f64[m], r: f64[n]) -> (q: f64[n], s: f64[m]) {
    q = a @ p
    s = r @ a
}
