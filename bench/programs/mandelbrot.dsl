# Steps until a point leaves the circle of radius 2, at most 100: a loop inside the kernel.

elemental fn escape_steps(cr: f32, ci: f32) -> f32 {
    zr = 0.0
    zi = 0.0
    steps = 0.0
    for i in 0..100 {
        a = zr * zr
        b = zi * zi
        if a + b > 4.0 { break }
        steps = steps + f32(1)
        zi = 2 * zr * zi + ci
        zr = a - b + cr
    }
    steps
}

fn mandelbrot(cr: f32[n], ci: f32[n]) -> (steps: f32[n, n]) {
    steps = escape_steps(cr[newaxis, :], ci[:, newaxis])
}
