# Conway's Game of Life on a torus: updates of elements, then a loop over whole arrays.
# fuseline run samples/life.dsl [--set steps=40]

fn life(cells: u8[n, m], steps: i64) -> (cells: u8[n, m]) {
    for t in 0..steps {
        rows = roll(cells, 1, axis=0) + cells + roll(cells, -1, axis=0)
        around = roll(rows, 1, axis=1) + rows + roll(rows, -1, axis=1) - cells
        cells = u8(around == 3 or (cells == 1 and around == 2))
    }
}

# A glider in one corner, a row of five in the middle.
fn start(n: i64, m: i64) {
    cells = zeros((n, m), dtype=u8)
    cells[0, 1] = 1
    cells[1, 2] = 1
    cells[2, :3] = 1
    cells[n // 2, m // 2 - 2:m // 2 + 3] = 1
    cells
}

param n: i64 = 16
param m: i64 = 24
param steps: i64 = 8

board = life(start(n, m), steps)
print(board)
print("alive", count_nonzero(board), "of", n * m)
