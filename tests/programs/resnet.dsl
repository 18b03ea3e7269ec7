# A residual bottleneck block, channels last: convolutions as products of shifted images.
fn conv1x1(x: f32[b, h, w, c], k: f32[c, d]) = x @ k

fn conv3x3(x: f32[b, h, w, c], k: f32[3, 3, c, d]) {
    wide = pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = wide[:, 0:h, 0:w, :] @ k[0, 0]
    y = y + wide[:, 0:h, 1:w + 1, :] @ k[0, 1] + wide[:, 0:h, 2:w + 2, :] @ k[0, 2]
    y = y + wide[:, 1:h + 1, 0:w, :] @ k[1, 0] + wide[:, 1:h + 1, 1:w + 1, :] @ k[1, 1]
    y = y + wide[:, 1:h + 1, 2:w + 2, :] @ k[1, 2] + wide[:, 2:h + 2, 0:w, :] @ k[2, 0]
    y + wide[:, 2:h + 2, 1:w + 1, :] @ k[2, 1] + wide[:, 2:h + 2, 2:w + 2, :] @ k[2, 2]
}

fn batch_norm(x: f32[b, h, w, c]) {
    m = mean(x, axis=0, keepdims=true)
    s = std(x, axis=0, keepdims=true)
    (x - m) / sqrt(s + 1e-5)
}

fn resnet(x: f32[b, h, w, c], k1: f32[c, d], k2: f32[3, 3, d, d], k3: f32[d, c]) -> (y: f32[b, h, w, c]) {
    a = relu(batch_norm(conv1x1(x, k1)))
    m = relu(batch_norm(conv3x3(a, k2)))
    y = relu(batch_norm(conv1x1(m, k3)) + x)
}
