fn f(x):
    y = x
    if y > 0:
        y = 1
    elif y < 0:
        y = 2
    else:
        y = 3
    return y
z = )
fn f(x) {
    if x > 0: x = 1
    return x
}
def f(x) {
    return x
}
function g(x) = x
fn f(x) {
    if x > 0
        y = 1
    }
    return y
}
fn f(x) {
    while x > 0
        x -= 1
    return x
}
fn f(x)
{
    return x
}
fn f(x) {
    if x > 0 {
        y = 1
    } elif x < 0 {
        y = 2
    } else {
        y = 3
    }
    return y
}
fn f(x) {
    y = 1
    else {
        y = 2
    }
    return y
}
fn f(x) {
    y = x
    return y
fn f(x) {
    if x > 0 {
        x = 1
    return x

fn g(x) = x
fn f(x) {
    if x > 0 {
        x = 1
    return x
}
y = 3
fn f(x) {
    return x
}
}
y = )
fn f(x) {
    fn g(y) {
        return y
    }
    return g(x)
}
fn f(x) {
    import "a.dsl"
    return x
}
fn f(x) {
    for (i in 0..3) {
        x += i
    }
    return x
}
fn f(x) {
    for i in range(3) {
        x += )
    }
    return x
}
fn f(x) {
    for i = 0..3 {
        x += i
    }
    return x
}
fn f(x) {
    for i in 0:3 {
        x += i
    }
    return x
}
fn f(x) {
    for i in 0..3 by {
        x += i
    }
    return x
}
fn f(x) {
    if x > {
        x = )
    }
    while (x < 3 {
        x += 1
    }
    return x
}
fn f {
    return 1
}
fn f(x)
fn g(x) = x
fn (x) = x
fn f(in, x) = x
fn f(3) = 3
fn f(x: f32 y: f32) = x + y
fn f(x: f32 {
    return x
}
fn f(x = 1, y) = x + y
fn f(x) -> {
    return x
}
fn f(x) -> y: f32 {
    y = x
}
fn f(x) -> (a: f32, f32) {
    a = x
}
fn f(x: f32[n]) -> (T: f32[n], shape: i64, y: f32) {
    T = x
}
elemental f(x) = x
import lib
import numpy as np
option contract, fast
param rate: f32
param rate = 0.02
extern fn f(x: f32) -> f32 = x
extern fn f(x: f32) -> f32 { cuda: "x", cpu: "x" }
extern fn g(x: f32) -> f32 { cuda: x }
extern fn h(x: f32) -> f32 { "x" }
y = )
