# Fifty operators, one after another.

fn two(x) = x * 1.0001 + 0.001
fn ten(x) = two(two(two(two(two(x)))))

fn chain50(x: f32[n]) -> (y: f32[n]) {
    y = ten(ten(ten(ten(ten(x)))))
}
