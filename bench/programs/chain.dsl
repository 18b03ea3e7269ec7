# About twenty operators on one input: a polynomial, two functions and a selection.

fn chain(x: f32[n]) -> (y: f32[n]) {
    p = (((((0.01 * x - 0.02) * x + 0.03) * x - 0.04) * x + 0.05) * x - 0.06) * x + 0.07
    s = sin(x) * exp(-0.5 * x * x)
    y = where(x > 0, p + s, p - 0.5 * s)
}
