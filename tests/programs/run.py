#!/usr/bin/env python3
"""Runs the programs of this folder on a device and compares every array that they write with NumPy.

usage: run.py FUSELINE [--device DEVICE]... [--seed N] [--option NAME]... [PROGRAM]...
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("not run: no NumPy")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from programs import PROGRAMS

HERE = pathlib.Path(__file__).parent


def entry_name(path):
    """The last function of a file is its entry."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("fn ")]
    return lines[-1][3:lines[-1].index("(")].strip()


def difference(found, wanted, tolerance):
    """Why two arrays differ by more than the tolerance allows; "" where they do not."""
    if found.shape != np.shape(wanted):
        return f"shape {found.shape}, not {np.shape(wanted)}"
    if tolerance == 0:
        return "" if np.array_equal(found, wanted) else "integers differ"
    scale = max(1e-300, float(np.max(np.abs(wanted), initial=0)))
    error = float(np.max(np.abs(found.astype(np.float64) - wanted), initial=0)) / scale
    return "" if error <= tolerance else f"relative error {error:.2e} > {tolerance:.0e}"


def run_program(fuseline, name, device, seed, extra):
    make, reference, tolerance = PROGRAMS[name]
    inputs = make(np.random.default_rng(seed))
    wanted = reference(**{k: v.copy() if isinstance(v, np.ndarray) else v for k, v in inputs.items()})
    source = HERE / f"{name}.dsl"
    with tempfile.TemporaryDirectory() as folder:
        command = [fuseline, "run", str(source), "--fn", entry_name(source), "--device", device, *extra]
        for key, value in inputs.items():
            if isinstance(value, np.ndarray):
                np.save(f"{folder}/{key}.npy", value)
                value = f"{folder}/{key}.npy"
            command += ["--in", f"{key}={value}"]
        for key in wanted:
            command += ["--out", f"{key}={folder}/out_{key}.npy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return f"exit code {done.returncode}\n{done.stderr}"
        faults = [f"{k}: {why}" for k, v in wanted.items()
                  if (why := difference(np.load(f"{folder}/out_{k}.npy"), v, tolerance))]
        return "; ".join(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fuseline")
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--extra", action="append", default=[], help="passed on to `fuseline run`")
    parser.add_argument("programs", nargs="*", default=[])
    arguments = parser.parse_args()
    passed = failed = 0
    for device in arguments.device or ["cpu"]:
        for name in arguments.programs or PROGRAMS:
            why = run_program(arguments.fuseline, name, device, arguments.seed, arguments.extra)
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print(f"FAILED {name} on {device} (seed {arguments.seed}): {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
