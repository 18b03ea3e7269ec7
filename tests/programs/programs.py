"""Programs written from their maths against NumPy: name -> inputs, reference and tolerance.

Each reference takes the inputs by name and gives a dict of results. Sizes are primes or odd where the maths lets
them be, so that no kernel sees a multiple of its lanes.
"""
import numpy as np


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _relu(x):
    return np.maximum(x, 0)


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    t = np.sin((theta_2 - theta_1) / 2) ** 2
    t = t + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return {"angle": 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))}


def heat_3d(steps, a0, b0):
    def smooth(a):
        middle = a[1:-1, 1:-1, 1:-1]
        return (0.125 * (a[2:, 1:-1, 1:-1] - 2 * middle + a[:-2, 1:-1, 1:-1])
                + 0.125 * (a[1:-1, 2:, 1:-1] - 2 * middle + a[1:-1, :-2, 1:-1])
                + 0.125 * (a[1:-1, 1:-1, 2:] - 2 * middle + a[1:-1, 1:-1, :-2]) + middle)
    a, b = a0.copy(), b0.copy()
    for _ in range(1, steps):
        b[1:-1, 1:-1, 1:-1] = smooth(a)
        a[1:-1, 1:-1, 1:-1] = smooth(b)
    return {"a": a, "b": b}


def jacobi_1d(steps, a0, b0):
    a, b = a0.copy(), b0.copy()
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return {"a": a, "b": b}


def jacobi_2d(steps, a0, b0):
    def cross(a):
        return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
    a, b = a0.copy(), b0.copy()
    for _ in range(1, steps):
        b[1:-1, 1:-1] = cross(a)
        a[1:-1, 1:-1] = cross(b)
    return {"a": a, "b": b}


def mlp(x, w1, b1, w2, b2, w3, b3):
    x, w1, b1, w2, b2, w3, b3 = (v.astype(np.float64) for v in (x, w1, b1, w2, b2, w3, b3))
    return {"p": _softmax(_relu(_relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3)}


def floyd_warshall(weights):
    path = weights.copy()
    for k in range(len(path)):
        path = np.minimum(path, path[:, k:k + 1] + path[k:k + 1, :])
    return {"path": path}


def resnet(x, k1, k2, k3):
    x, k1, k2, k3 = (v.astype(np.float64) for v in (x, k1, k2, k3))
    h, w = x.shape[1:3]

    def norm(v):
        return (v - v.mean(axis=0, keepdims=True)) / np.sqrt(v.std(axis=0, keepdims=True) + 1e-5)
    a = _relu(norm(x @ k1))
    wide = np.pad(a, ((0, 0), (1, 1), (1, 1), (0, 0)))
    m = sum(wide[:, i:i + h, j:j + w, :] @ k2[i, j] for i in range(3) for j in range(3))
    return {"y": _relu(norm(_relu(norm(m)) @ k3) + x)}


def lu(a):
    n, m = len(a), a.copy()
    for k in range(n):
        m[k + 1:, k] /= m[k, k]
        m[k + 1:, k + 1:] -= np.outer(m[k + 1:, k], m[k, k + 1:])
    return {"lu": m}


def sea_water(s, t, pressure):
    p = np.polynomial.polynomial.polyval
    bar, root = pressure / 10, np.sqrt(s)
    pure = p(t, [999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9])
    a = p(t, [8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9])
    b = p(t, [-5.72466e-3, 1.0227e-4, -1.6546e-6])
    surface = pure + a * s + b * s * root + 4.8314e-4 * s**2
    kw = p(t, [19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5])
    k0 = kw + p(t, [54.6746, -0.603459, 1.09987e-2, -6.1670e-5]) * s + p(t, [7.944e-2, 1.6483e-2, -5.3009e-4]) * s * root
    ak = p(t, [3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7]) + p(t, [2.2838e-3, -1.0981e-5, -1.6078e-6]) * s + 1.91075e-4 * s * root
    bk = p(t, [8.50935e-5, -6.12293e-6, 5.2787e-8]) + p(t, [-9.9348e-7, 2.0816e-8, 9.1697e-10]) * s
    return {"density": surface / (1 - bar / (k0 + ak * bar + bk * bar**2))}


def life(steps, board):
    cells = board.copy()
    for _ in range(steps):
        around = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells
        cells = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.uint8)
    return {"cells": cells}


def shallow_water(steps, dt, h0, u0, v0):
    h, u, v = h0, u0, v0
    for _ in range(steps):
        u = u - dt * (np.roll(h, -1, 0) - h)
        v = v - dt * (np.roll(h, -1, 1) - h)
        h = h - dt * ((u - np.roll(u, 1, 0)) + (v - np.roll(v, 1, 1)))
    return {"h": h, "u": u, "v": v}


def conjugate_gradients(a, b, tolerance):
    return {"x": np.linalg.solve(a, b)}


def logistic_regression(x, y, rate, steps):
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        w = w - rate * ((sigmoid(x @ w) - y) @ x) / len(y)
    q = sigmoid(x @ w)
    return {"w": w, "loss": -np.mean(y * np.log(q) + (1 - y) * np.log(1 - q))}


def _lower(d, c):
    return np.tril(d) + np.triu(c, 1)


def _positive_definite(r, n):
    a = r.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def _weights(r, n):
    w = r.integers(1, 100, size=(n, n))
    np.fill_diagonal(w, 0)
    return w


# name: (inputs from a generator of random numbers, reference, relative tolerance)
PROGRAMS = {
    "arc_distance": (lambda r: {k: r.uniform(-1.5, 1.5, 10007) for k in ("theta_1", "phi_1", "theta_2", "phi_2")},
                     arc_distance, 1e-11),
    "atax": (lambda r: {"a": r.normal(size=(61, 47)), "x": r.normal(size=47)},
             lambda a, x: {"y": a.T @ (a @ x)}, 1e-12),
    "bicg": (lambda r: {"a": r.normal(size=(53, 41)), "p": r.normal(size=41), "r": r.normal(size=53)},
             lambda a, p, r: {"q": a @ p, "s": r @ a}, 1e-12),
    "clip_and_scale": (lambda r: {"x": r.integers(0, 1000, (101, 67)), "y": r.integers(0, 1000, (101, 67)),
                                  "a": 4, "b": 3, "c": 9},
                       lambda x, y, a, b, c: {"z": np.clip(x, 2, 10) * a + y * b + c}, 0),
    "doitgen": (lambda r: {"a": r.normal(size=(7, 11, 13)), "c4": r.normal(size=(13, 13))},
                lambda a, c4: {"b": a @ c4}, 1e-12),
    "gemm": (lambda r: {"alpha": 1.5, "beta": 1.2, "a": r.normal(size=(37, 43)), "b": r.normal(size=(43, 29)),
                        "c": r.normal(size=(37, 29))},
             lambda alpha, beta, a, b, c: {"d": alpha * a @ b + beta * c}, 1e-12),
    "gesummv": (lambda r: {"alpha": 1.5, "beta": 1.2, "a": r.normal(size=(37, 43)), "b": r.normal(size=(37, 43)),
                           "x": r.normal(size=43)},
                lambda alpha, beta, a, b, x: {"y": alpha * a @ x + beta * b @ x}, 1e-12),
    "heat_3d": (lambda r: {"steps": 9, "a0": r.normal(size=(11, 11, 11)), "b0": r.normal(size=(11, 11, 11))},
                heat_3d, 1e-12),
    "jacobi_1d": (lambda r: {"steps": 31, "a0": r.normal(size=997), "b0": r.normal(size=997)}, jacobi_1d, 1e-12),
    "jacobi_2d": (lambda r: {"steps": 11, "a0": r.normal(size=(31, 23)), "b0": r.normal(size=(31, 23))},
                  jacobi_2d, 1e-12),
    "three_matmuls": (lambda r: {"a": r.normal(size=(17, 19)), "b": r.normal(size=(19, 23)),
                                 "c": r.normal(size=(23, 29)), "d": r.normal(size=(29, 31))},
                      lambda a, b, c, d: {"e": (a @ b) @ (c @ d)}, 1e-12),
    "mlp": (lambda r: {k: r.normal(size=s).astype(np.float32) * 0.3 for k, s in
                       (("x", (23, 31)), ("w1", (31, 29)), ("b1", 29), ("w2", (29, 17)), ("b2", 17),
                        ("w3", (17, 11)), ("b3", 11))}, mlp, 1e-4),
    "mvt": (lambda r: {**{k: r.normal(size=59) for k in ("x1", "x2", "y1", "y2")}, "a": r.normal(size=(59, 59))},
            lambda x1, x2, y1, y2, a: {"z1": x1 + a @ y1, "z2": x2 + a.T @ y2}, 1e-12),
    "softmax4": (lambda r: {"x": r.normal(size=(3, 5, 37, 37)).astype(np.float32)},
                 lambda x: {"p": _softmax(x.astype(np.float64))}, 1e-5),
    "floyd_warshall": (lambda r: {"weights": _weights(r, 31)}, floyd_warshall, 0),
    "resnet": (lambda r: {"x": r.normal(size=(8, 7, 5, 12)).astype(np.float32),
                          "k1": r.normal(size=(12, 6)).astype(np.float32),
                          "k2": r.normal(size=(3, 3, 6, 6)).astype(np.float32),
                          "k3": r.normal(size=(6, 12)).astype(np.float32)}, resnet, 2e-3),
    "cholesky": (lambda r: {"a": _positive_definite(r, 29)}, lambda a: {"l": np.linalg.cholesky(a)}, 1e-11),
    "lu": (lambda r: {"a": r.normal(size=(23, 23)) + 30 * np.eye(23)}, lu, 1e-11),
    "trisolv": (lambda r: {"l": np.tril(r.normal(size=(31, 31))) + 8 * np.eye(31), "b": r.normal(size=31)},
                lambda l, b: {"x": np.linalg.solve(l, b)}, 1e-10),
    "syrk": (lambda r: {"alpha": 1.5, "beta": 1.2, "c": r.normal(size=(23, 23)), "a": r.normal(size=(23, 31))},
             lambda alpha, beta, c, a: {"d": _lower(alpha * a @ a.T + beta * c, c)}, 1e-12),
    "syr2k": (lambda r: {"alpha": 1.5, "beta": 1.2, "c": r.normal(size=(23, 23)), "a": r.normal(size=(23, 31)),
                         "b": r.normal(size=(23, 31))},
              lambda alpha, beta, c, a, b: {"d": _lower(alpha * a @ b.T + alpha * b @ a.T + beta * c, c)}, 1e-12),
    "sea_water": (lambda r: {"s": r.uniform(0, 42, (5, 7, 11)), "t": r.uniform(-2, 40, (5, 7, 11)),
                             "pressure": r.uniform(0, 10000, (5, 7, 11))}, sea_water, 1e-13),
    "life": (lambda r: {"steps": 12, "board": r.integers(0, 2, (31, 17)).astype(np.uint8)}, life, 0),
    "shallow_water": (lambda r: {"steps": 25, "dt": 0.1, "h0": r.normal(size=(17, 23)),
                                 "u0": r.normal(size=(17, 23)), "v0": r.normal(size=(17, 23))},
                      shallow_water, 1e-11),
    "conjugate_gradients": (lambda r: {"a": _positive_definite(r, 41), "b": r.normal(size=41), "tolerance": 1e-13},
                            conjugate_gradients, 1e-9),
    "logistic_regression": (lambda r: {"x": r.normal(size=(101, 7)), "y": r.integers(0, 2, 101).astype(np.float64),
                                       "rate": 0.5, "steps": 40}, logistic_regression, 1e-10),
    "fir": (lambda r: {"x": r.normal(size=1019 + 16), "h": r.normal(size=17)},
            lambda x, h: {"y": np.convolve(x, h, mode="valid")}, 1e-11),
}
