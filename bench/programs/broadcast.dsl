# A matrix times a row plus a column.

fn broadcast(a: f32[n, n], row: f32[n], column: f32[n]) -> (b: f32[n, n]) {
    b = 1.25 * a * row[newaxis, :] + column[:, newaxis]
}
