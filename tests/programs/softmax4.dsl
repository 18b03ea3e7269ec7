# Softmax over the last axis of attention scores.
fn softmax4(x: f32[b, h, s, s]) -> (p: f32[b, h, s, s]) {
    e = exp(x - max(x, axis=-1, keepdims=true))
    p = e / sum(e, axis=-1, keepdims=true)
}
