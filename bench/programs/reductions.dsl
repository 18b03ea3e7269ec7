# Reductions of one array by rows, columns, middle axes and as a whole; the array is made first, in a kernel of its own.
param rows: i64 = 8192
param columns: i64 = 8192
x = f32(iota(rows)[:, newaxis] % 7) + f32(iota(columns)[newaxis, :] % 5)
print(x[0, 0])
by_rows = sum(x, axis=1)
print(by_rows[0])
by_columns = sum(x, axis=0)
print(by_columns[0])
total = sum(x)
print(total)
largest = max(x, axis=1)
print(largest[0])
smooth = softmax(x)
print(smooth[0, 0])
