# The heat equation on a cube by alternate explicit steps; the surface stays.
fn smooth(a: f64[n, n, n]) {
    middle = a[1:-1, 1:-1, 1:-1]
    x = 0.125 * (a[2:, 1:-1, 1:-1] - 2 * middle + a[:-2, 1:-1, 1:-1])
    y = 0.125 * (a[1:-1, 2:, 1:-1] - 2 * middle + a[1:-1, :-2, 1:-1])
    z = 0.125 * (a[1:-1, 1:-1, 2:] - 2 * middle + a[1:-1, 1:-1, :-2])
    x + y + z + middle
}

fn heat_3d(steps: i64, a0: f64[n, n, n], b0: f64[n, n, n]) -> (a: f64[n, n, n], b: f64[n, n, n]) {
    a = a0
    b = b0
    for t in 1..steps {
        b[1:-1, 1:-1, 1:-1] = smooth(a)
        a[1:-1, 1:-1, 1:-1] = smooth(b)
    }
}
