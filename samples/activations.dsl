# Functions of the prelude on a row of points.
# fuseline run samples/activations.dsl

x = linspace(-3, 3, 7, dtype=f32)
print("x      ", x)
print("relu   ", relu(x))
print("sigmoid", sigmoid(x))
print("silu   ", silu(x))
print("gelu   ", gelu(x))
