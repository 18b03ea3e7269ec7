# Conway's Game of Life on a torus.
fn life(steps: i64, board: u8[n, m]) -> (cells: u8[n, m]) {
    cells = board
    for t in 0..steps {
        rows = roll(cells, 1, axis=0) + cells + roll(cells, -1, axis=0)
        around = roll(rows, 1, axis=1) + rows + roll(rows, -1, axis=1) - cells
        cells = u8(around == 3 or (cells == 1 and around == 2))
    }
}
