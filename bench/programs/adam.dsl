# First step of the Adam optimiser: four inputs, three outputs.

fn adam(p: f32[n], g: f32[n], m: f32[n], v: f32[n]) -> (p2: f32[n], m2: f32[n], v2: f32[n]) {
    m2 = 0.9 * m + 0.1 * g
    v2 = 0.999 * v + 0.001 * g * g
    p2 = p - 0.001 * (m2 * 10) / (sqrt(v2 * 1000) + 1e-8)
}
