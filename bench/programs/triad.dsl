# Two inputs, one output, one multiply and one add an element.

fn triad(x: f32[n], y: f32[n]) -> (z: f32[n]) {
    z = 2.5 * x + y
}
