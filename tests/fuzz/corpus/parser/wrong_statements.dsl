fn f(x) {
    y = x + 1;
    z = y; w = z
    return w;
}
fn f(a, b) {
    y = a
      + b
    return y
}
fn f(a, b) {
    y = a
    - b
}
fn f(a, b) {
    c = a
        and b
    c
}
// a comment
/* another */
y = 3
fn f(n) {
    i = n
    i++
    i--
    return i
}
fn f(x) {
    x + 1
    x == 2
    y = x
    return y
}
fn f(x) {
    if x > 0 {
        x
    }
    return x
}
fn f(x) {
    print(x)
    return x
}
x = 3
x + 1
prnt(x)
print 3
let x = 3
var y = 4
fn f(a) {
    const b = a
    return b
}
f(x) = 2 * x
3 = x
fn f(a, b) {
    a + b = 3
    return a
}
fn f(x) {
    x[0][1] = 3
    return x
}
fn f(x) {
    x.T = 3
    return x
}
a = b = 3
a, b = f(x)
fn f(x) {
    return x, x + 1
}
y = 1, 2
x: f32[n]
x: f32[:, 3] = load("x.npy")
x: f32[] = load("x.npy")
in = 3
for = 4
return 3
fn f(x) {
    break
    if x > 0 {
        continue
    }
    return x
}
for i in 0..3 {
    print(i)
}
fn f(x) {
    if x = 3 {
        return 1
    }
    while x = 4 {
        x += 1
    }
    return x
}
assert(x > 0, "x is positive")
from math import pi
class A {
}
switch x {
    y = )
}
try:
    y = 3
match = 3
let = match + 1
fn f(x) {
    if x > 0 { x = 1 } y = 3
    return y
}
y = 3]
y = { 1, 2 }
a = 1 +
b = (2
c = 3)
d = 4 5
e = 5
