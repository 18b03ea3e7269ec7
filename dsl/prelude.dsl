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
