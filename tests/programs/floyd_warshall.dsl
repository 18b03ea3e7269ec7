# All shortest paths of a directed graph.
fn floyd_warshall(weights: i64[n, n]) -> (path: i64[n, n]) {
    path = weights
    for k in 0..n {
        path = min(path, path[:, k][:, newaxis] + path[k, :][newaxis, :])
    }
}
