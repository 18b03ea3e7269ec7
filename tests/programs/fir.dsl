# A finite impulse response filter over the part where all taps lie inside.
fn fir(x: f64[n + taps - 1], h: f64[taps]) -> (y: f64[n]) {
    y = zeros(n)
    for k in 0..taps {
        y = y + h[k] * x[taps - 1 - k:taps - 1 - k + n]
    }
}
