# A multi-layer perceptron with softmax on its last layer.
fn mlp(x: f32[n, c0], w1: f32[c0, c1], b1: f32[c1], w2: f32[c1, c2], b2: f32[c2],
       w3: f32[c2, c3], b3: f32[c3]) -> (p: f32[n, c3]) {
    h1 = relu(x @ w1 + b1)
    h2 = relu(h1 @ w2 + b2)
    p = softmax(h2 @ w3 + b3)
}
