y = -x ** 2 ** -z
y = a + b * c // d << 1 & m ^ n | o
y = a - b - c / d / e
fn f(a, b, c) = a < b <= c and not a == b or c
y = (a + b) * ((c))
y = a if b else c if d else e
y = a + 1 if b > 2 else -c
y = a @ b * c
y = f(12, 0xFF, 0b1_0, 1_000, 1.5, 1e-3, 2i, 1.5i, true, false, none, "a\n\"b\"")
