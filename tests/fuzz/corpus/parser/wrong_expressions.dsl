x = True
y = where(x, None, False)
y = scan(lambda a, b: a + b, 0, x)
y = 3 +
y = (3 + )
y = (* 3)
y = 3 * / 2
y = < 3
y = 3 + for
y = and x
fn f(a, b) = a == not b
fn f(a) = - not a
fn f(a, b) = a > 0 & b > 0
fn f(a, b) = a == 1 | b
fn f(a, b, c) = (a & b) == 1 and a & b < b | c
y = 3 if x > 2
y = a if b if c else d else e
y = (x = 3)
y = f(x[0] = 3)
y = sum(axis=0, x)
y = sum(x, axis=)
y = sum(x, axis: 0)
y = 2 (x + 1)
y = ()
y = x[]
y = x[none, :]
y = x[1:2:3:4]
y = x[0..3]
y = sum(0..3)
y = 0..3
y = f(a b)
y = [1, 2 3]
y = f(x[1, 2)]
y = f(x))
y = f(x, (1 + 2)
z = 3
print(y, z
y = [1, 2,
fn f(x) {
    y = (x + 1
    return y
}
z = )
y = x. + 1
y = x.in
y = (x[i] for i in 0..n)
y = x[i] for i in 0..n
y = [a, b for i in 0..n]
y = f(x, y[i] for i in 0..n)
y = [i * i for i in range(10)]
y = [2 * v for v in x]
y = [i for i in 0:n]
y = [i for i in ..n]
y = [i for (i, j) in x]
y = sum(x[i] for i = 0..n)
y = [i + j for i in 0..n for j in 0..m]
y = sum(i for i in 0..n if i > 2 if i < 5)
y = sum(i for i in 0..n if i > 2, j in 0..m)
y = sum(i for i in 0..n if n > 2 else 3)
y = sum(i for i in 0..n, x)
y = [i for i in 0..n if i > 2]
y = [i for i in reversed(x)]
y = [i for i in reversed(0..n) + 1]
