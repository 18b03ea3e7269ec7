#!/usr/bin/env python3
"""Time of the reductions of bench/programs/reductions.dsl on the GPU beside CuPy, as a share of the copy rate.

usage: reductions.py FUSELINE
"""
import json
import pathlib
import subprocess
import sys

import cupy

PROGRAM = pathlib.Path(__file__).parent / "programs" / "reductions.dsl"
SHAPES = [(8192, 8192), (1 << 20, 64), (64, 1 << 20), (1 << 24, 3), (1000, 65537), (1, 1 << 26)]


def gpu_ms(work, repeats=20):
    """Least milliseconds of `work` by events."""
    work()
    times = []
    for _ in range(repeats):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return min(times)


def cupy_times(rows, columns):
    x = cupy.ones((rows, columns), dtype=cupy.float32)
    y = cupy.empty_like(x)

    def softmax():
        e = cupy.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    return {"copy": gpu_ms(lambda: cupy.copyto(y, x)), "by_rows": gpu_ms(lambda: x.sum(axis=1)),
            "by_columns": gpu_ms(lambda: x.sum(axis=0)), "total": gpu_ms(lambda: x.sum()),
            "largest": gpu_ms(lambda: x.max(axis=1)), "softmax": gpu_ms(softmax)}


def main():
    for rows, columns in SHAPES:
        peers = cupy_times(rows, columns)
        done = subprocess.run([sys.argv[1], "run", str(PROGRAM), "--device", "cuda", "--stats=json", "--set",
                               f"rows={rows}", "--set", f"columns={columns}"], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{rows} x {columns}: {done.stderr.strip()[:300]}")
            continue
        stats = json.loads(done.stdout.strip().splitlines()[-1])
        print(f"{rows} x {columns}: copy {peers['copy']:.3f} ms; "
              + ", ".join(f"{k} cupy {v:.3f}" for k, v in peers.items() if k != "copy"))
        for kernel in stats["kernels"]:
            print(f"    {kernel['schedule']:7} lines {kernel['lines']}: {kernel['ms']:.3f} ms, "
                  f"{kernel['bytes'] / 1e6:.1f} MB, {kernel['launches']} launches")


if __name__ == "__main__":
    main()
