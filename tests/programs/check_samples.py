#!/usr/bin/env python3
"""Runs every file of samples/ on a device and compares each number that it prints or writes with NumPy.

usage: check_samples.py FUSELINE [--device DEVICE]... [SAMPLE]...
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("not run: no NumPy")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from png import read_png
from samples import RUNS

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)(?![\w])")


def differences(found, wanted, tolerance):
    """Elements that are further apart than `tolerance` of the wanted one, or of 1e-3 where that is smaller."""
    allowed = tolerance * np.maximum(np.abs(wanted), 1e-3)
    return int(np.count_nonzero(~(np.abs(found - wanted) <= allowed)))


def check_printed(text, wanted, tolerance):
    found = np.array([float(number) for number in NUMBER.findall(text)])
    wanted = np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in wanted])
    if found.size != wanted.size:
        return f"{found.size} numbers printed, not {wanted.size}:\n{text}"
    wrong = differences(found, wanted, tolerance)
    return f"{wrong} of {wanted.size} printed numbers differ:\n{text}" if wrong else ""


def check_file(path, wanted, tolerance):
    """Bytes must be the exact value rounded to the nearest, either one where it is a tie but for f32's error."""
    picture = path.suffix == ".png"
    found = read_png(path).astype(np.float64) if picture else np.loadtxt(path, delimiter=",")
    if found.shape != wanted.shape:
        return f"{path.name}: shape {found.shape}, not {wanted.shape}"
    if picture:
        wrong = int(np.count_nonzero(np.abs(found - wanted) > 0.5 + 255 * tolerance))
    else:
        wrong = differences(found, wanted, tolerance)
    return f"{path.name}: {wrong} of {wanted.size} values differ" if wrong else ""


def run_sample(fuseline, device, reference, values, tolerance):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "samples"
        shutil.copytree(SAMPLES, folder)
        before = set(folder.iterdir())
        command = [fuseline, "run", str(folder / f"{reference.__name__}.dsl"), "--device", device]
        command += [item for name, value in values.items() for item in ("--set", f"{name}={value}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return f"exit code {done.returncode}\n{done.stderr}"
        printed, files = reference(folder, **values)
        written = {path.name for path in folder.iterdir() if path not in before}
        if written != set(files):
            return f"files {sorted(written)} written, not {sorted(files)}"
        faults = [check_printed(done.stdout, printed, tolerance)]
        faults += [check_file(folder / name, wanted, tolerance) for name, wanted in files.items()]
        return "; ".join(fault for fault in faults if fault)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fuseline")
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("samples", nargs="*", default=[])
    arguments = parser.parse_args()
    unknown = {path.stem for path in SAMPLES.glob("*.dsl")} - {run[0].__name__ for run in RUNS}
    for name in sorted(unknown):
        print(f"FAILED {name}.dsl: samples.py has no reference for it")
    passed, failed = 0, len(unknown)
    for device in arguments.device or ["cpu"]:
        for reference, values, tolerance in RUNS:
            name = reference.__name__
            if arguments.samples and name not in arguments.samples:
                continue
            why = run_sample(arguments.fuseline, device, reference, values, tolerance)
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print(f"FAILED {name} {values} on {device}: {why}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
