"""What each file of samples/ prints and writes, by NumPy: name -> function of the sample's folder and its params.

A function gives the printed numbers in order and a dict of the files. Where a file holds bytes, its reference is the
exact value that was rounded to them.
"""
import math

import numpy as np

from png import read_png

erfc = np.vectorize(math.erfc)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def activations(folder):
    x = np.linspace(-3, 3, 7)
    return [x, np.maximum(x, 0), _sigmoid(x), x * _sigmoid(x), 0.5 * x * erfc(-x / math.sqrt(2))], {}


def black_scholes(folder, rate=0.05, volatility=0.2):
    def cdf(x):
        return 0.5 * erfc(-x / math.sqrt(2))
    s, k, t = np.linspace(80, 120, 9), 100.0, 1.0
    d1 = (np.log(s / k) + (rate + volatility**2 / 2) * t) / (volatility * math.sqrt(t))
    d2 = d1 - volatility * math.sqrt(t)
    paid = k * math.exp(-rate * t)
    return [s, s * cdf(d1) - paid * cdf(d2), paid * cdf(-d2) - s * cdf(-d1)], {}


def collatz(folder, n=20):
    def steps(x):
        count = 0
        while x > 1:
            x, count = (3 * x + 1 if x % 2 else x // 2), count + 1
        return -1 if x < 1 else count
    return [[steps(x) for x in range(n)]], {}


def life(folder, n=16, m=24, steps=8):
    cells = np.zeros((n, m), dtype=np.uint8)
    cells[0, 1] = cells[1, 2] = cells[2, :3] = 1
    cells[n // 2, m // 2 - 2:m // 2 + 3] = 1
    for _ in range(steps):
        around = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells
        cells = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.uint8)
    return [cells, cells.sum(), n * m], {}


def mandelbrot(folder, width=24, height=11, limit=99):
    c = np.linspace(-2.25, 0.75, width) + 1j * np.linspace(1, -1, height)[:, np.newaxis]
    z, steps, live = np.zeros_like(c), np.zeros(c.shape, dtype=np.int64), np.ones(c.shape, dtype=bool)
    for _ in range(limit):
        live &= z.real**2 + z.imag**2 <= 4
        steps += live
        z = np.where(live, z * z + c, z)
    return [steps], {}


def matmul(folder, n=200):
    i = np.arange(n, dtype=np.float64)
    c = (1 / (1 + i[:, np.newaxis] + i)) @ (1 / (1 + abs(i[:, np.newaxis] - i)))
    return [c[0, :5], np.trace(c), c.mean(), c.max()], {}


def saxpy(folder, n=8, a=2):
    return [a * np.arange(n) + 1.0], {}


def _blur(x, sigma, taps):
    weights = np.exp(-0.5 * (np.arange(-taps, taps + 1) / sigma) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        wide = np.pad(x, [(taps, taps) if k == axis else (0, 0) for k in range(3)], mode="edge")
        windows = np.lib.stride_tricks.sliding_window_view(wide, 2 * taps + 1, axis=axis)
        x = windows @ weights
    return x


def _sobel(g):
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(g, 1, mode="edge"), (3, 3))
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    return np.hypot((windows * kernel).sum(axis=(2, 3)), (windows * kernel.T).sum(axis=(2, 3)))


def photo(folder, sigma=2, taps=6, contrast=6):
    x = read_png(folder / "data" / "astronaut.png") / 255
    low = _sigmoid(-contrast / 2)
    pictures = {
        "photo_blurred.png": _blur(x, sigma, taps),
        "photo_edges.png": _sobel(x @ [0.299, 0.587, 0.114]),
        "photo_toned.png": (_sigmoid(contrast * (x - 0.5)) - low) / (1 - 2 * low),
    }
    files = {name: 255 * np.clip(picture, 0, 1) for name, picture in pictures.items()}
    return [x.shape[0], x.shape[1], x.mean(axis=(0, 1))], files


def prices(folder, days=200):
    p = np.loadtxt(folder / "data" / "prices.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3))
    n = len(p)
    returns = np.diff(np.log(p), axis=0)
    average = np.lib.stride_tricks.sliding_window_view(p, days, axis=0).mean(axis=-1)
    fall = 1 - p / np.maximum.accumulate(p)
    printed = [n, p[-1] / p[0], returns.std(axis=0, ddof=1) * np.sqrt(252), np.exp(returns.max(axis=0)) - 1,
               fall.max(axis=0), fall.argmax(axis=0), (p[days - 1:] > average).sum(axis=0),
               np.corrcoef(returns.T)]
    return printed, {"moving_averages.csv": average}


# Name, `--set` values, largest relative error; every sample stands here at least once.
RUNS = [
    (activations, {}, 1e-5), (black_scholes, {}, 1e-12), (black_scholes, {"rate": 0.03, "volatility": 0.4}, 1e-12),
    (collatz, {}, 0), (collatz, {"n": 97}, 0), (life, {}, 0), (life, {"n": 31, "m": 29, "steps": 11}, 0),
    (mandelbrot, {}, 0), (matmul, {}, 1e-5), (matmul, {"n": 67}, 1e-5), (saxpy, {}, 0), (saxpy, {"n": 3, "a": 5}, 0),
    (photo, {}, 1e-5), (photo, {"sigma": 4, "taps": 11, "contrast": 9}, 1e-5),
    (prices, {}, 1e-10), (prices, {"days": 50}, 1e-10),
]
