# Prices of European options, every parameter an array: five inputs, two outputs.

fn cdf(x) = 0.5 * (1.0 + erf(x * 0.7071067811865476))

fn black_scholes(s: f32[n], k: f32[n], t: f32[n], r: f32[n], v: f32[n]) -> (call: f32[n], put: f32[n]) {
    deviation = v * sqrt(t)
    d1 = (log(s / k) + (r + 0.5 * v * v) * t) / deviation
    d2 = d1 - deviation
    discounted = k * exp(-r * t)
    call = s * cdf(d1) - discounted * cdf(d2)
    put = call - s + discounted
}
