"""Times the product of two f32 matrices in Fuseline, NumPy, torch and CuPy, transfers told apart from the product.

    python3 bench/matmul_times.py [--program build/bin/fuseline_bench] [--device cuda] [--n 1000]

Milliseconds, medians of 30 calls, each with a wait for its result. `product`: operands and result lie where the
device computes; `from host`, `to host`: the operands come from host memory, the result goes there; `both`: as the name
says. On the CPU the four do the same work. torch and CuPy take part where they are installed, without TF32.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = ["product", "from_host", "to_host", "host_to_host"]


def median(call):
    times = []
    for _ in range(33):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times[3:])


def fuseline(flags):
    command = [flags.program, "--matmul", str(flags.n), "--device", flags.device]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cases(multiply, up, down, wait, a, b):
    """Times by case from a library's product, transfers and wait; `a` and `b` are NumPy arrays."""
    da, db = up(a), up(b)
    begin = time.perf_counter()
    down(multiply(up(a), up(b)))
    first = 1e3 * (time.perf_counter() - begin)
    return {
        "first": first,
        "product": median(lambda: (multiply(da, db), wait())),
        "from_host": median(lambda: (multiply(up(a), up(b)), wait())),
        "to_host": median(lambda: down(multiply(da, db))),
        "host_to_host": median(lambda: down(multiply(up(a), up(b)))),
    }


def same(x):
    return x


def by_numpy(flags, np, a, b):
    return cases(np.matmul, same, same, lambda: None, a, b)


def by_torch(flags, np, a, b):
    import torch

    if flags.device == "cpu":
        return cases(torch.matmul, torch.from_numpy, lambda x: x.numpy(), lambda: None, a, b)
    return cases(
        torch.matmul,
        lambda x: torch.from_numpy(x).cuda(),
        lambda x: x.cpu().numpy(),
        torch.cuda.synchronize,
        a,
        b,
    )


def by_cupy(flags, np, a, b):
    import cupy

    if flags.device == "cpu":
        raise ImportError("no CPU")
    return cases(cupy.matmul, cupy.asarray, cupy.asnumpy, cupy.cuda.get_current_stream().synchronize, a, b)


def show(name, times):
    cells = "".join(f"{times[case]:>14.3f}" for case in CASES + ["first"])
    print(f"{name:<10}{cells}" + (f"   error {times['error']:.1e}" if "error" in times else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default=os.path.join(ROOT, "build/bin/fuseline_bench"))
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--n", type=int, default=1000)
    flags = parser.parse_args()
    print(f"{'ms':<10}{'product':>14}{'from host':>14}{'to host':>14}{'both':>14}{'first call':>14}")
    show("Fuseline", fuseline(flags))
    try:
        import numpy as np
    except ImportError:
        return 0
    generator = np.random.default_rng(1)
    a, b = (generator.random((flags.n, flags.n), dtype=np.float32) for _ in range(2))
    for name, library in [("NumPy", by_numpy), ("torch", by_torch), ("CuPy", by_cupy)]:
        try:
            show(name, library(flags, np, a, b))
        except ImportError:
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
