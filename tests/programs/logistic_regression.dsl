# Gradient descent on the mean log loss.
fn logistic_regression(x: f64[n, m], y: f64[n], rate: f64, steps: i64) -> (w: f64[m], loss: f64) {
    w = zeros(m)
    for t in 0..steps {
        p = sigmoid(x @ w)
        w = w - rate * ((p - y) @ x) / n
    }
    q = sigmoid(x @ w)
    loss = -mean(y * log(q) + (1 - y) * log(1 - q))
}
