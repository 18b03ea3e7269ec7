fn f(x: f32[n]) -> f32[n] {
    for i in 0..n - 1 by 2 {
        while x[i] > 1 {
            x[i] /= 2
            if x[i] < 0.1 { break } else { continue }
        }
    }
    for i in reversed(0..n) { x[i, :] **= 2 }
    x
}
fn f(x) {
    if x < 0 { y = 1 }
    else if x < 1 {
        y = 2
    } else {
        y = 3
    }
    return y
}
fn f(x) {
    x += 1
    x -= 1
    x *= 1
    x /= 1
    x //= 1
    x %= 1
    x **= 1
    x &= 1
    x |= 1
    x ^= 1
    x <<= 1
    x >>= 1
    return x
}
fn f(x) {
    assert x > 0
    assert x < n, "x is small"
    if x == 3 { return }
    y: f32[n, 2 * m + 1] = x
    return -y
}
fn f(x) {
    -x
}
