y = [A[i, j] * v[j] for i in 0..n, j in 0..m by 2]
y = sum(A[i, k] * B[k, j] for k in row[i]..row[i + 1] if c[k], initial=0, accumulate="f64")
(s, w) = sum((a[i], b[i]) for i in reversed(0..n by 3))
y = [a[i] if i > 2 else 0 for i in 0..n]
