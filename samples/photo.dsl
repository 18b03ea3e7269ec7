# A photograph through blur, edges and a tone curve; writes three PNGs beside this file.
# fuseline run samples/photo.dsl [--set sigma=4 --set taps=12] [--set contrast=9]

# A Gaussian of `taps` taps to each side along both axes; the picture goes on beyond its edges as it ends there.
fn blur(x: f32[h, w, 3], sigma: f32, taps: i64) -> f32[h, w, 3] {
    tall = pad(x, ((taps, taps), (0, 0), (0, 0)), mode="edge")
    down = zeros_like(x)
    total = f32(0)
    for k in 0..2 * taps + 1 {
        weight = exp(-0.5 * (f32(k - taps) / sigma) ** 2)
        down += weight * tall[k:k + h, :, :]
        total += weight
    }
    wide = pad(down / total, ((0, 0), (taps, taps), (0, 0)), mode="edge")
    across = zeros_like(x)
    for k in 0..2 * taps + 1 {
        across += exp(-0.5 * (f32(k - taps) / sigma) ** 2) * wide[:, k:k + w, :]
    }
    across / total
}

fn brightness(x: f32[h, w, 3]) = 0.299 * x[:, :, 0] + 0.587 * x[:, :, 1] + 0.114 * x[:, :, 2]

# The length of Sobel's gradient.
fn edges(g: f32[h, w]) -> f32[h, w] {
    p = pad(g, 1, mode="edge")
    right = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]
    left  = p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2]
    lower = p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]
    upper = p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:]
    hypot(right - left, lower - upper)
}

# An S-shaped curve on 0 to 1 that leaves both ends where they are.
fn tone(x, contrast) {
    low = sigmoid(-contrast / 2)
    (sigmoid(contrast * (x - 0.5)) - low) / (1 - 2 * low)
}

# 0 to 1 as a byte, to the nearest.
fn byte(x) = u8(round(255 * clip(x, 0, 1)))

param sigma: f32 = 2
param taps: i64 = 6
param contrast: f32 = 6
assert sigma > 0, "sigma must be above 0"

photo: u8[h, w, 3] = load("data/astronaut.png")
x = f32(photo) / 255

save("photo_blurred.png", byte(blur(x, sigma, taps)))
save("photo_edges.png", byte(edges(brightness(x))))
save("photo_toned.png", byte(tone(x, contrast)))
print("size", h, w, "mean of red, green, blue", mean(x, axis=(0, 1)))
