# Functions that are always there. A user's function of the same name hides one of these.

elemental fn relu(x) = max(x, 0)

elemental fn leaky_relu(x, slope = 0.01) = where(x > 0, x, slope * x)

elemental fn sigmoid(x) = 1 / (1 + exp(-x))

elemental fn silu(x) = x / (1 + exp(-x))

# The exact form, by the normal distribution function.
elemental fn gelu(x) = 0.5 * x * erfc(-x / sqrt(2))

elemental fn softplus(x) = max(x, 0) + log1p(exp(-abs(x)))

elemental fn clip(a, a_min, a_max) = min(max(a, a_min), a_max)

elemental fn square(x) = x * x

elemental fn radians(x) = x * (pi / 180)

elemental fn degrees(x) = x * (180 / pi)

# exp(x) / sum(exp(x)) along an axis; the largest element is taken out first, so that nothing overflows.
fn softmax(x, const axis = -1) {
    e = exp(x - max(x, axis=axis, keepdims=true))
    e / sum(e, axis=axis, keepdims=true)
}

fn log_softmax(x, const axis = -1) {
    moved = x - max(x, axis=axis, keepdims=true)
    moved - log(sum(exp(moved), axis=axis, keepdims=true))
}

# Mean 0 and variance 1 along an axis, then times `weight` and plus `bias`, which broadcast to x.
fn layernorm(x, weight = none, bias = none, eps = 1e-5, const axis = -1) {
    centred = x - mean(x, axis=axis, keepdims=true)
    normal = centred / sqrt(mean(centred * centred, axis=axis, keepdims=true) + eps)
    scaled = normal if weight == none else normal * weight
    scaled if bias == none else scaled + bias
}

# Mean square 1 along an axis, then times `weight`. Integers are computed as floats, here and below.
fn rmsnorm(x, weight = none, eps = 1e-5, const axis = -1) {
    y = x * 1.0
    normal = y / sqrt(mean(y * y, axis=axis, keepdims=true) + eps)
    normal if weight == none else normal * weight
}

# The norm of vectors: along an axis, or of all elements. `ord` is none (2), 1, 2, inf, or another number > 0.
fn norm(x, const ord = none, const axis = none, const keepdims = false) {
    y = x * 1.0
    if ord == none or ord == 2 { return sqrt(sum(y * y, axis=axis, keepdims=keepdims)) }
    if ord == 1 { return sum(abs(y), axis=axis, keepdims=keepdims) }
    if ord == inf { return max(abs(y), axis=axis, keepdims=keepdims) }
    sum(abs(y) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)
}

fn cosine_similarity(x1, x2, const axis = -1, eps = 1e-8) =
    sum(x1 * 1.0 * x2, axis=axis) / max(norm(x1, axis=axis) * norm(x2, axis=axis), eps)

# The covariance of the rows of a matrix (of its columns with rowvar=false); of a vector its variance.
fn cov(m, const rowvar = true, const ddof = 1) {
    assert m.rank == 1 or m.rank == 2, "`cov` takes a vector or a matrix"
    if m.rank == 1 { return var(m, ddof=ddof) }
    rows = m if rowvar else m.T
    centred = rows - mean(rows, axis=1, keepdims=true)
    centred @ centred.T / (rows.shape[1] - ddof)
}

# Correlation coefficients of the rows of a matrix. NumPy: corrcoef.
fn corr(m, const rowvar = true) {
    c = cov(m, rowvar=rowvar)
    if m.rank == 1 { return c / c }
    d = sqrt(diagonal(c))
    clip(c / d[:, newaxis] / d, -1, 1)
}

# A new last axis with 1 at the index that x holds, else 0.
fn one_hot(x, num_classes, dtype = f32) = dtype(x[..., newaxis] == iota(num_classes))

# The mean of -log(probability of the label); `logits` has an axis of classes more than `labels`.
fn cross_entropy(logits, labels) {
    assert all(labels >= 0 and labels < logits.shape[-1]), "`cross_entropy`: a label is no class"
    chosen = labels[..., newaxis] == iota(logits.shape[-1])
    return -mean(sum(log_softmax(logits), axis=-1, where=chosen))
}

# Central differences along an axis, one-sided at its ends.
fn gradient(f, dx = 1, const axis = -1) {
    g = swapaxes(f * 1.0, axis, -1)
    n = g.shape[-1]
    assert n >= 2, "`gradient` needs two points along the axis"
    i = iota(n)
    next = shift(g, -1, axis=-1)
    previous = shift(g, 1, axis=-1)
    inside = (next - previous) / (2 * dx)
    swapaxes(where(i == 0, (next - g) / dx, where(i == n - 1, (g - previous) / dx, inside)), axis, -1)
}

# x[i + 1] - 2 x[i] + x[i - 1]; beyond an end stands the element at that end.
fn second_difference(x, const axis = -1) {
    g = swapaxes(x, axis, -1)
    n = g.shape[-1]
    i = iota(n)
    next = where(i == n - 1, g, shift(g, -1, axis=-1))
    previous = where(i == 0, g, shift(g, 1, axis=-1))
    swapaxes(next - 2 * g + previous, axis, -1)
}

# The sum of second differences over up to three axes. SciPy: ndimage.laplace.
fn laplacian(x) {
    assert x.rank >= 1 and x.rank <= 3, "`laplacian` takes one to three axes"
    if x.rank == 1 { return second_difference(x) }
    plane = second_difference(x, -1) + second_difference(x, -2)
    if x.rank == 2 { return plane }
    plane + second_difference(x, -3)
}
