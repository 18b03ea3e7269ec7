"""Numba: kernels by hand with numba.cuda."""

import math

import numpy as np

if not hasattr(np, "row_stack"):  # some versions of numba-cuda name what NumPy 2.5 no longer has
    np.row_stack = np.vstack
import numba
from numba import cuda

import workloads
from peer import Peer

f4 = np.float32


def copy(x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i]


def triad(x, y, z):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = f4(2.5) * x[i] + y[i]


def chain(x, y):
    i = cuda.grid(1)
    if i < y.size:
        a = x[i]
        p = (
            ((((f4(0.01) * a - f4(0.02)) * a + f4(0.03)) * a - f4(0.04)) * a + f4(0.05)) * a - f4(0.06)
        ) * a + f4(0.07)
        s = math.sin(a) * math.exp(f4(-0.5) * a * a)
        y[i] = p + s if a > f4(0) else p - f4(0.5) * s


def chain50(x, y):
    i = cuda.grid(1)
    if i < y.size:
        a = x[i]
        for _ in range(25):
            a = a * f4(1.0001)
            a = a + f4(0.001)
        y[i] = a


def black_scholes(s, k, t, r, v, call, put):
    i = cuda.grid(1)
    if i < call.size:
        deviation = v[i] * math.sqrt(t[i])
        d1 = (math.log(s[i] / k[i]) + (r[i] + f4(0.5) * v[i] * v[i]) * t[i]) / deviation
        d2 = d1 - deviation
        n1 = f4(0.5) * (f4(1) + math.erf(d1 * f4(0.70710678)))
        n2 = f4(0.5) * (f4(1) + math.erf(d2 * f4(0.70710678)))
        discounted = k[i] * math.exp(-r[i] * t[i])
        c = s[i] * n1 - discounted * n2
        call[i] = c
        put[i] = c - s[i] + discounted


def broadcast(a, row, column, b):
    x, y = cuda.grid(2)
    if y < b.shape[0] and x < b.shape[1]:
        b[y, x] = f4(1.25) * a[y, x] * row[x] + column[y]


def adam(p, g, m, v, p2, m2, v2):
    i = cuda.grid(1)
    if i < p2.size:
        m1 = f4(0.9) * m[i] + f4(0.1) * g[i]
        v1 = f4(0.999) * v[i] + f4(0.001) * g[i] * g[i]
        p2[i] = p[i] - f4(0.001) * (m1 * f4(10)) / (math.sqrt(v1 * f4(1000)) + f4(1e-8))
        m2[i] = m1
        v2[i] = v1


def mandelbrot(cr, ci, steps):
    x, y = cuda.grid(2)
    if y < steps.shape[0] and x < steps.shape[1]:
        zr = f4(0)
        zi = f4(0)
        count = 0
        for _ in range(100):
            a = zr * zr
            b = zi * zi
            if a + b > f4(4):
                break
            count += 1
            zi = f4(2) * zr * zi + ci[y]
            zr = a - b + cr[x]
        steps[y, x] = f4(count)


KERNELS = dict(
    copy=copy,
    triad=triad,
    chain=chain,
    chain50=chain50,
    black_scholes=black_scholes,
    broadcast=broadcast,
    adam=adam,
    mandelbrot=mandelbrot,
)


@cuda.jit
def fill(x, seed, low, width):
    i = cuda.grid(1)
    if i < x.size:
        z = np.uint64(i + 1 + seed * 1000003) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        x[i] = low + width * (f4(np.int64(z >> np.uint64(40))) / f4(16777216))


class Numba(Peer):
    name = "numba"

    def __init__(self):
        super().__init__()
        for function in workloads.FORMULAS:
            self.cases[(function, "cuda")] = self.kernel

    def versions(self):
        return numba.__version__

    def start(self):
        self.random((1024,), 0, 1, 1)
        self.wait()

    def kernel(self, workload, *arrays):
        jitted = cuda.jit(KERNELS[workload.function])
        results = [cuda.device_array(workload.shape, f4) for _ in workload.outputs]
        block = (256,) if workload.axes == 1 else (32, 8)
        grid = tuple((workload.n + size - 1) // size for size in block)
        configured = jitted[grid, block]

        def call():
            configured(*arrays, *results)
            return results

        return call

    def random(self, shape, low, high, seed):
        count = math.prod(shape)
        flat = cuda.device_array(count, f4)
        fill[(count + 255) // 256, 256](flat, seed, f4(low), f4(high - low))
        return flat.reshape(shape)

    def line(self, count, low, high):
        return cuda.to_device(np.linspace(low, high, count, dtype=f4))

    def host(self, array, part):
        return array.reshape(array.size)[part].copy_to_host()

    def wait(self, result=None):
        cuda.synchronize()

    def event(self):
        event = cuda.event()
        event.record()
        return event

    def elapsed(self, begin, end):
        return begin.elapsed_time(end)


PEER = Numba
