(a, b) = f((1, 2), (3,))
y = f(x).call + g(x)(1)[2].T
y = x[i, 1:-1, ::2, :, a:, :b, ..., newaxis, m > 0, 5::-1]
y = sum(x, axis=-1, keepdims=true,)
