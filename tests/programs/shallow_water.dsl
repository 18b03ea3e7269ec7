# Linear shallow water on a torus, forward in time, the height from the new velocity.
fn shallow_water(steps: i64, dt: f64, h0: f64[n, m], u0: f64[n, m], v0: f64[n, m])
    -> (h: f64[n, m], u: f64[n, m], v: f64[n, m]) {
    h = h0
    u = u0
    v = v0
    for t in 0..steps {
        u = u - dt * (roll(h, -1, axis=0) - h)
        v = v - dt * (roll(h, -1, axis=1) - h)
        h = h - dt * ((u - roll(u, 1, axis=0)) + (v - roll(v, 1, axis=1)))
    }
}
