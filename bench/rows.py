#!/usr/bin/env python3
"""GB/s of functions of rows on the GPU, fused and step by step, beside a copy and, where they are there, CuPy and torch.

usage: rows.py FUSELINE [--turns N] [--only TEXT]

Bytes are those of each input read once and each result written once. Times are of warm launches by events: what N + 2
calls take above two, divided by N.
"""
import argparse
import importlib
import json
import pathlib
import subprocess
import tempfile

SHAPES = [(8192, 8192), (65536, 1024), (1_000_000, 33), (4096, 1025)]
TYPES = {"f32": 4, "f16": 2}
# Function: its inputs of whole rows, its vectors over the columns, a call.
FUNCTIONS = {
    "softmax": (["x"], [], "softmax(x)"),
    "layernorm": (["x"], ["w", "b"], "layernorm(x, w, b)"),
    "rmsnorm+swiglu": (["x", "g"], ["w"], "rmsnorm(x, w) * (g * sigmoid(g))"),
}


def program(function, dtype, rows, columns, turns):
    wide, vectors, call = FUNCTIONS[function]
    text = f"r = iota({rows})[:, newaxis]\nc = iota({columns})[newaxis, :]\n"
    for k, name in enumerate(wide):
        text += f"{name} = {dtype}(r % {7 + k}) + {dtype}(c % {5 + k})\n"
    for k, name in enumerate(vectors):
        text += f"{name} = {dtype}(iota({columns}) % {3 + k})\n"
    return text + "".join(f"y = {call}\nprint(y[0, 0])\n" for _ in range(turns))


def run(fuseline, text, flags):
    """Milliseconds and launches of the kernels over arrays."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.dsl"
        path.write_text(text)
        done = subprocess.run([fuseline, "run", str(path), "--device", "cuda", "--stats=json", *flags],
                              capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[:300])
    kernels = json.loads(done.stdout.strip().splitlines()[-1])["kernels"]
    # The element that is printed is a kernel too.
    kernels = [k for k in kernels if k["bytes"] > 64 * k["launches"]]
    return sum(k["ms"] for k in kernels), sum(k["launches"] for k in kernels)


def ours(fuseline, case, turns, flags=()):
    # With one call alone the arrays that it reads would be made in its kernel.
    few, many = run(fuseline, program(*case, 2), flags), run(fuseline, program(*case, turns + 2), flags)
    return (many[0] - few[0]) / turns, (many[1] - few[1]) / turns


class Torch:
    name = "torch"

    def __init__(self):
        self.torch = importlib.import_module("torch")

    def work(self, function, dtype, rows, columns):
        t = self.torch
        kind = {"f32": t.float32, "f16": t.float16}[dtype]
        x, g = (t.rand(rows, columns, device="cuda", dtype=kind) for _ in range(2))
        w, b = (t.rand(columns, device="cuda", dtype=kind) for _ in range(2))
        y = t.empty_like(x)
        f = t.nn.functional
        return {"copy": lambda: y.copy_(x), "softmax": lambda: f.softmax(x, dim=-1),
                "layernorm": lambda: f.layer_norm(x, (columns,), w, b),
                "rmsnorm+swiglu": lambda: x * t.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w * f.silu(g)}[function]

    def ms(self, work, turns):
        event = self.torch.cuda.Event
        work()
        begin, end = event(enable_timing=True), event(enable_timing=True)
        begin.record()
        for _ in range(turns):
            work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / turns


class CuPy:
    name = "cupy"

    def __init__(self):
        self.cupy = importlib.import_module("cupy")

    def work(self, function, dtype, rows, columns):
        c = self.cupy
        kind = {"f32": c.float32, "f16": c.float16}[dtype]
        x, g = (c.random.rand(rows, columns, dtype=c.float32).astype(kind) for _ in range(2))
        w, b = (c.random.rand(columns, dtype=c.float32).astype(kind) for _ in range(2))
        y = c.empty_like(x)

        def softmax():
            e = c.exp(x - x.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)

        def layernorm():
            d = x - x.mean(axis=1, keepdims=True)
            return d / c.sqrt((d * d).mean(axis=1, keepdims=True) + kind(1e-5)) * w + b

        def swiglu():
            return x / c.sqrt((x * x).mean(axis=1, keepdims=True) + kind(1e-5)) * w * (g / (1 + c.exp(-g)))
        return {"copy": lambda: c.copyto(y, x), "softmax": softmax, "layernorm": layernorm,
                "rmsnorm+swiglu": swiglu}[function]

    def ms(self, work, turns):
        work()
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        for _ in range(turns):
            work()
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end) / turns


def peers():
    found = []
    for kind in (Torch, CuPy):
        try:
            found.append(kind())
        except ImportError:
            pass
    return found


def measure(fuseline, case, turns, libraries):
    function, dtype, rows, columns = case
    wide, vectors, _ = FUNCTIONS[function]
    size = TYPES[dtype]
    gigabytes = (rows * columns * (len(wide) + 1) + columns * len(vectors)) * size / 1e9

    def rate(ms):
        return gigabytes / ms * 1e3
    rates = {}
    fused_ms, launches = ours(fuseline, case, turns)
    rates["ours"] = rate(fused_ms)
    rates["no-fuse"] = rate(ours(fuseline, case, turns, ["--no-fuse"])[0])
    copies = []
    for library in libraries:
        rates[library.name] = rate(library.ms(library.work(*case), turns))
        copies.append(2 * rows * columns * size / 1e6 / library.ms(library.work("copy", *case[1:]), turns))
    line = f"{function:15} {dtype} {rows:>8} x {columns:<6} {launches:>4.0f} launches"
    if copies:
        line += f"  copy {max(copies):6.0f} GB/s, ours {100 * rates['ours'] / max(copies):3.0f}% of it"
    print(line + "  " + "  ".join(f"{name} {value:.0f}" for name, value in rates.items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuseline")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--only", default="", help="functions whose name has this text")
    flags = parser.parse_args()
    libraries = peers()
    for function in FUNCTIONS:
        for dtype in TYPES if flags.only in function else ():
            for rows, columns in SHAPES:
                try:
                    measure(flags.fuseline, (function, dtype, rows, columns), flags.turns, libraries)
                except RuntimeError as e:
                    print(f"{function} {dtype} {rows} x {columns}: {e}")


if __name__ == "__main__":
    main()
