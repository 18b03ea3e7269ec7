# The Mandelbrot set: a `while` for each point, inside one kernel.
# fuseline run samples/mandelbrot.dsl [--set width=1200] [--set height=800] [--set limit=1000]

elemental fn escape_time(cr: f64, ci: f64, limit: i64) -> i64 {
    zr = 0.0
    zi = 0.0
    steps = 0
    while steps < limit and zr * zr + zi * zi <= 4 {
        t = zr * zr - zi * zi + cr
        zi = 2 * zr * zi + ci
        zr = t
        steps += 1
    }
    steps
}

fn mandelbrot(width: i64, height: i64, limit: i64) -> i64[height, width] {
    re = linspace(-2.25, 0.75, width)
    im = linspace(1, -1, height)
    escape_time(re[newaxis, :], im[:, newaxis], limit)
}

param width: i64 = 24
param height: i64 = 11
param limit: i64 = 99

print(mandelbrot(width, height, limit))
