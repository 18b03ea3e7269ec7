"""The rows of ../programs/workloads.json, and their formulas for any array module."""

import json
import math
import os

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")


class Workload:
    """One row at one size: shapes, bytes (each input read once, each output written once), formula."""

    def __init__(self, row, size):
        self.row = row
        self.name, self.title = row["name"], row["title"]
        self.function = row.get("function", self.name)
        self.n = row["size"].get(size, row["size"]["full"])
        self.axes = row.get("axes", 1)
        self.shape = (self.n,) * self.axes
        self.elements = self.n**self.axes
        self.inputs = row["inputs"]
        self.outputs = row["outputs"]
        self.small = row.get("small", False)
        self.tolerance = row["tolerance"]
        self.compares_equal = row.get("compare") == "equal"
        self.compute_bound = row.get("compute_bound", False)
        self.bytes = 4 * (
            sum(math.prod(self.input_shape(i)) for i in self.inputs) + self.elements * len(self.outputs)
        )

    def input_shape(self, given):
        return (self.n,) if "along" in given else self.shape

    def formula(self, xp, erf=None):
        """The workload as a function of arrays of `xp` (NumPy's names), giving a tuple or an array."""
        function = FORMULAS[self.function]
        return lambda *arrays: function(xp, erf, *arrays)


def load(size, only=()):
    with open(os.path.join(PROGRAMS, "workloads.json")) as file:
        rows = json.load(file)["workloads"]
    return [Workload(row, size) for row in rows if not only or row["name"] in only]


def chain(xp, erf, x):
    p = (((((0.01 * x - 0.02) * x + 0.03) * x - 0.04) * x + 0.05) * x - 0.06) * x + 0.07
    s = xp.sin(x) * xp.exp(-0.5 * x * x)
    return xp.where(x > 0, p + s, p - 0.5 * s)


def chain50(xp, erf, x):
    for _ in range(25):
        x = x * 1.0001
        x = x + 0.001
    return x


def black_scholes(xp, erf, s, k, t, r, v):
    deviation = v * xp.sqrt(t)
    d1 = (xp.log(s / k) + (r + 0.5 * v * v) * t) / deviation
    d2 = d1 - deviation
    discounted = k * xp.exp(-r * t)
    n1 = 0.5 * (1.0 + erf(d1 * 0.7071067811865476))
    n2 = 0.5 * (1.0 + erf(d2 * 0.7071067811865476))
    call = s * n1 - discounted * n2
    return call, call - s + discounted


def adam(xp, erf, p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return p - 0.001 * (m * 10) / (xp.sqrt(v * 1000) + 1e-8), m, v


def mandelbrot_steps(count, zr, zi, steps, cr, ci):
    """`count` iterations without a branch, for libraries whose loops are over whole arrays."""
    for _ in range(count):
        a = zr * zr
        b = zi * zi
        steps = steps + (a + b <= 4.0)
        zi = 2.0 * zr * zi + ci
        zr = a - b + cr
    return zr, zi, steps


def mandelbrot(xp, erf, cr, ci):
    zero = 0.0 * (cr[None, :] + ci[:, None])
    return mandelbrot_steps(100, zero, zero, zero, cr[None, :], ci[:, None])[2]


FORMULAS = {
    "copy": lambda xp, erf, x: 1.0 * x,
    "triad": lambda xp, erf, x, y: 2.5 * x + y,
    "chain": chain,
    "chain50": chain50,
    "black_scholes": black_scholes,
    "broadcast": lambda xp, erf, a, row, column: 1.25 * a * row[None, :] + column[:, None],
    "adam": adam,
    "mandelbrot": mandelbrot,
}
