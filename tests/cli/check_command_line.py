#!/usr/bin/env python3
# Runs the command `fuseline` with right and wrong command lines: exit codes, messages, what is opened.
"""Usage: check_command_line.py FUSELINE. The last line is "N passed, N failed"; exit code 1 when a case failed."""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

OK, USER, USAGE, TOOLCHAIN = 0, 1, 2, 3

AXPY = """fn axpy(a: f32, x: f32[n], y: f32[n]) -> (z: f32[n]) {
    z = a * x + y
}
"""
SCRIPT = "param rate: f32 = 0.5\nprint(rate * 2)\n"
PRODUCT = "x = ones((4, 5), f32)\ny = x @ ones((5, 6), f32)\nprint(sum(y))\n"
COMPONENTS = ["fuseline", "cpu", "nvrtc", "cuda", "oneTBB", "fmt", "CLI11", "nlohmann-json", "xxHash", "GMP", "libpng",
              "zlib"]


def npy(values):
    """The bytes of a one-dimensional f32 .npy file."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f",
                                                                                                  *values)


class Suite:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.passed = self.failed = 0

    def run(self, *words, **changes):
        return subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, env={**os.environ, **changes}, check=False)

    def tell(self, name, faults):
        self.passed += not faults
        self.failed += bool(faults)
        for fault in faults:
            print(f"FAILED {name}: {fault}")

    def case(self, words, code, *parts, without=(), **changes):
        """The command ends with `code`; its output has each of `parts`, and none of `without`."""
        done = self.run(*words, **changes)
        text = done.stdout + done.stderr
        faults = [] if done.returncode == code else [f"exit code {done.returncode}, not {code}:\n{text}"]
        faults += [f"lacks {part!r}:\n{text}" for part in parts if part not in text]
        faults += [f"has {part!r}:\n{text}" for part in without if part in text]
        self.tell(" ".join(words), faults)

    def check(self, name, holds):
        self.tell(name, [] if holds else ["does not hold"])

    def versions(self):
        """Every component stands on a line of its own, with a number or the reason why it is not there."""
        done = self.run("--version")
        lines = dict(line.split(None, 1) for line in done.stdout.splitlines() if " " in line)
        faults = [] if done.returncode == OK else [f"exit code {done.returncode}"]
        for name in COMPONENTS:
            text = lines.get(name, "")
            if not re.search(r"\d+\.\d+", text) and not text.startswith(("not available: ", "not used: ")):
                faults.append(f"no version of {name}:\n{done.stdout}")
        for name in ["LLVM", "SLEEF"]:
            if not re.search(name + r" \d+\.\d+", done.stdout, re.IGNORECASE):
                faults.append(f"no version of {name}:\n{done.stdout}")
        self.tell("--version", faults)


def write_files(folder):
    (folder / "axpy.dsl").write_text(AXPY)
    (folder / "script.dsl").write_text(SCRIPT)
    (folder / "product.dsl").write_text(PRODUCT)
    (folder / "unchecked.dsl").write_text("fn f(x: f32[n]) = x + nowhere\n")
    (folder / "unparsed.dsl").write_text("fn f(x: f32[n]) = x +\n")
    (folder / "zero.dsl").write_text('import "dev/zero.dsl"\nprint(1)\n')
    (folder / "dev").mkdir()
    (folder / "dev" / "zero.dsl").symlink_to("/dev/zero")
    (folder / "long.dsl").write_text('import "huge.dsl"\nprint(1)\n')
    with open(folder / "huge.dsl", "wb") as file:
        file.truncate((16 << 20) + 1)
    (folder / "scale.ir").write_text("graph scale(%x: f32[n]) -> (f32[n]) {\n  %0 = neg %x : f32[n]\n  yield %0\n}\n")
    (folder / "unsound.ir").write_text("graph g(%x: f32[n]) -> (f32[m]) {\n  %0 = neg %x : f32[m]\n  yield %0\n}\n")
    (folder / "unsound_twice.ir").write_text("graph g(%x: f32[n]) -> (f32[n]) {\n  %0 = neg %x : f32[m]\n"
                                             "  %1 = exp %x : f32[m]\n  yield %x\n}\n")
    (folder / "fused.ir").write_text('graph f(%x: f32[n]) -> (z: f32[n]) {\n  %z = group "map" %x : f32[n] '
                                     "(%a: f32[n]) {\n    %b = neg %a : f32[n]\n    yield %b\n  }\n"
                                     "  yield %z\n}\n")
    (folder / "nested.ir").write_text('graph f(%x: f32[n]) -> (z: f32[n]) {\n  %z = group "map" %x : f32[n] '
                                      '(%a: f32[n]) {\n    %b = group "map" %a : f32[n] (%c: f32[n]) {\n'
                                      "      %d = neg %c : f32[n]\n      yield %d\n    }\n    yield %b\n  }\n"
                                      "  yield %z\n}\n")
    (folder / "plan.ir").write_text("plan f(%x: f32[n]) -> (z: f32[n]) {\n  %z = alloc : f32[n]\n"
                                    "  launch @f_0(%x, %z) sizes(n = n)\n  yield %z\n}\n")
    (folder / "two.dsl").write_text("fn f(x: f32[n]) -> (a: f32[n], b: f32[n]) {\n    a = x + 1\n    b = x + 2\n}\n")
    (folder / "wide.dsl").write_text("print(sum(zeros(2**62)))\n")
    (folder / "wider.dsl").write_text("x = ones(2**60)\nprint(sum(x * 2))\n")
    (folder / "memory.dsl").write_text("print(sum(zeros(2**58)))\n")
    (folder / "nul.dsl").write_text('save("a\\0b.npy", ones(3))\n')
    (folder / "endless.raw").symlink_to("/dev/zero")
    (folder / "endless.dsl").write_text('x: f32[n] = load("endless.raw")\nprint(n)\n')
    (folder / "x.npy").write_bytes(npy([1, 2, 3]))
    (folder / "y.npy").write_bytes(npy([10, 20, 30]))
    (folder / "x.csv").write_text("day,x\nmonday,1\ntuesday,2\nsunday,3\n")


def check_run(suite):
    call = ["run", "axpy.dsl", "--device", "cpu", "--fn", "axpy", "--in", "a=2"]
    arrays = ["--in", "x=x.npy", "--in", "y=y.npy"]
    suite.case([*call, *arrays], OK, "z = [12", "36")
    suite.case([*call, *arrays, "--out", "z=z.npy"], OK)
    suite.case([*call, "--in", "x=x.csv:x", "--in", "y=y.npy", "--out", "z=z.csv"], OK)
    suite.case([*call, "--in", "x=z.csv", "--in", "y=y.npy"], OK, "z = [ 34", "102")
    suite.case([*call, "--in", "x=x.csv", "--in", "y=y.npy"], USER, "x.csv: the table has 2 columns")
    suite.case([*call, *arrays, "--out", "z=z.jpg"], USER, "z.jpg: `.jpg` is not the ending of a known format")
    suite.case([*call, *arrays, "--threads", "1"], OK)
    two = ["run", "two.dsl", "--device", "interpreter", "--fn", "f", "--in", "x=x.npy", "--out", "a=o.npy"]
    for path in ["o.npy", "./o.npy", str(suite.folder / "dev" / ".." / "o.npy")]:
        suite.case([*two, "--out", f"b={path}"], USAGE, f"error: --out b={path}: the file is that of `a` too")
    suite.check("--out twice writes nothing", not (suite.folder / "o.npy").exists())
    suite.case([*two, "--out", "b=dev/o.npy"], OK)
    suite.case([*call, "--in", "nosuch=1"], USAGE, "`axpy` has no parameter `nosuch`; parameters are a, x, y")
    suite.case([*call, "--in", "x=3"], USAGE, "`x` is an array, f32[n]: write --in x=FILE")
    suite.case([*call, "--in", "a=1"], USAGE, "--in a is given twice")
    suite.case([*call, *arrays, "--out", "nosuch=z.npy"], USAGE, "`axpy` has no result `nosuch`; results are z")
    suite.case([*call, "--in", "x=missing.npy"], USER, "missing.npy: cannot be read")
    suite.case(["run", "axpy.dsl", "--fn", "axpi"], USAGE, "there is no entry function `axpi`", "did you mean `axpy`?")
    suite.case(["run", "script.dsl", "--set", "rate=3"], OK, "6")
    suite.case(["run", "script.dsl", "--set", "rat=3"], USAGE, "there is no param `rat` to set",
               "did you mean `rate`?")
    suite.case(["run", "script.dsl", "--set", "rate=1", "--set", "rate=2"], USAGE, "--set rate is given twice")
    for count in ["0", "-1", "x", "1025", "99999999999999999999"]:
        suite.case(["run", "script.dsl", "--threads", count], USAGE, f"--threads {count}: write a number from 1 to 1024")
    suite.case(["run", "script.dsl", "--device", "gpu"], USAGE, "there is no device called `gpu`")
    suite.case(["run", "script.dsl", "--option", "contrct"], USAGE, "did you mean `contract`?")
    suite.case(["run", "script.dsl", "--disable-pass", "simplfy"], USAGE, "did you mean")
    suite.case(["run", "script.dsl", "--disable-pass", "foo"], USAGE,
               "there is no pass `foo`; passes that may be left out are flatten, fold, simplify, cse, dce")
    suite.case(["run", "script.dsl", "--disable-pass", "fuse"], USAGE, "the pass `fuse` cannot be switched off")
    suite.case(["run", "script.dsl", "--dump-dir", "out"], USAGE, "error: --dump-dir is the folder of --dump")
    suite.case(["run", "script.dsl", "--dump=kernel,"], USAGE, "error: a stage is missing")
    suite.case(["run", "nowhere.dsl"], USER, "nowhere.dsl: cannot be read")
    suite.case(["run", "zero.dsl"], USER, "zero.dsl:1:8: error: dev/zero.dsl: is no regular file")
    suite.case(["check", "long.dsl"], USER, "huge.dsl: is longer than 16 MiB")
    suite.case(["run", "/dev/zero"], USER, "/dev/zero: is longer than 16 MiB")
    suite.case(["run", "endless.dsl"], USER, "endless.raw: cannot be read: is no regular file")
    suite.case(["run", "nul.dsl"], USER, "nul.dsl:1:1: error: a: a NUL follows, which no path can hold")
    suite.check("a NUL cuts no name short", not (suite.folder / "a").exists())


def check_memory(suite):
    """What no memory holds, on the interpreter, which makes every array."""
    for name, place, fault in [
            ("wide.dsl", "1:11", "an array f64[4611686018427387904] has more than 2^63 bytes"),
            ("wider.dsl", "1:5", "an array f64[1152921504606846976] has more than 2^63 bytes"),
            ("memory.dsl", "1:11",
             "out of memory on the host: an array f64[288230376151711744] has 2305843009213693952 bytes")]:
        suite.case(["run", name, "--device", "interpreter"], USER, f"{name}:{place}: error: {fault}",
                   without=["internal error"])


def check_words(suite):
    """Words that the command line does not have, with the nearest that it has."""
    commands = "run, check, dump, explain, opt, ops"
    suite.case(["foo"], USAGE, f"error: there is no subcommand `foo`; subcommands are {commands}")
    suite.case(["rnu", "script.dsl"], USAGE, "error: there is no subcommand `rnu`; did you mean `run`?")
    suite.case([], USAGE, f"error: a subcommand is required: {commands}")
    suite.case(["--versoin"], USAGE, "error: there is no option `--versoin`; did you mean `--version`?")
    suite.case(["run", "--sats", "script.dsl"], USAGE, "error: there is no option `--sats`; did you mean `--stats`?")
    suite.case(["run", "script.dsl", "--devce", "cpu"], USAGE,
               "error: there is no option `--devce`; did you mean `--device`?")
    suite.case(["run", "script.dsl", "--devce=cpu"], USAGE, "did you mean `--device`?")
    suite.case(["run", "script.dsl", "--nosuch"], USAGE, "error: there is no option `--nosuch`\n")
    suite.case(["run", "script.dsl", "axpy.dsl"], USAGE, "error: `axpy.dsl` is one argument too many")
    suite.case(["run"], USAGE, "error: file is required")
    suite.case(["ops", "erg"], USAGE, "there is no operator `erg`")
    suite.case(["ops", "erff"], USAGE, "there is no operator `erff`; did you mean `erf`?")


def check_outputs(suite):
    """Where standard output goes: JSON of files that cannot be read, a device that is full."""
    for name, reason in [("missing.dsl", "No such file"), ("dev", "Is a directory")]:
        done = suite.run("check", name, "--json")
        faults = [] if done.returncode == USER else [f"exit code {done.returncode}"]
        try:
            messages = json.loads(done.stdout)
        except json.JSONDecodeError:
            messages = []
        if len(messages) != 1 or reason not in messages[0]["message"]:
            faults.append(f"not the one message:\n{done.stdout}{done.stderr}")
        suite.tell(f"check {name} --json", faults)
    suite.case(["check", "missing.dsl"], USER, "error: missing.dsl: cannot be read: No such file")
    for words in [["--help"], ["--version"], ["run", "--help"], ["ops"]]:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([suite.program, *words], cwd=suite.folder, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=120, check=False)
        suite.check(f"{' '.join(words)} > /dev/full", done.returncode == USER)


def check_dump(suite):
    suite.case(["dump", "unchecked.dsl", "--stage", "ast"], OK, "nowhere")
    suite.case(["dump", "unparsed.dsl", "--stage", "ast"], USER, "unparsed.dsl:1:")
    suite.case(["dump", "unchecked.dsl", "--stage", "graph"], USER, "unchecked.dsl:1:23: error")
    # No device is opened for these, so that one which is not there is no matter.
    suite.case(["dump", "axpy.dsl", "--stage", "ast,graph", "--device", "cuda:63"], OK, "graph axpy(")
    suite.case(["dump", "axpy.dsl", "--stage", "plan", "--device", "cuda:63"], TOOLCHAIN)
    suite.case(["dump", "axpy.dsl", "--stage", "fused,kernel,plan,cuda,llvm,asm", "--device", "cpu"], OK,
               "==== asm ====", "__global__", "define void @")
    suite.case(["dump", "axpy.dsl", "--stage", "cuda", "--fn", "nosuch", "--device", "cpu"], USAGE,
               "there is no entry function `nosuch`")
    suite.case(["dump", "axpy.dsl", "--stage", "cudda"], USAGE, "did you mean `cuda`?")


def check_explain(suite):
    suite.case(["explain", "axpy.dsl", "--device", "cpu"], OK, "1 kernel; 12*n bytes moved, the least possible",
               "axpy.dsl:2")
    suite.case(["explain", "axpy.dsl", "--device", "cpu", "--no-fuse", "--set", "n=1000"], OK, "2 kernels", "20 kB",
               "1.67 times", "fusion is off")
    suite.case(["explain", "axpy.dsl", "--device", "cpu", "--set", "m=3"], USAGE, "there is no size `m`; sizes are n")
    suite.case(["explain", "axpy.dsl", "--device", "cpu", "--set", "n=-1"], USAGE, "a size is a whole number")
    suite.case(["explain", "axpy.dsl", "--fn", "axpi"], USAGE, "did you mean `axpy`?")
    done = suite.run("explain", "axpy.dsl", "--device", "cpu", "--set", "n=10", "--json")
    told = json.loads(done.stdout)[0]
    moved = told["steps"][0]["moved_bytes"]
    suite.tell("explain --json", [] if moved == {"formula": "12*n", "value": 120} else [done.stdout])
    stats = suite.run("run", "product.dsl", "--device", "cpu", "--stats=json")
    library = json.loads(stats.stdout.splitlines()[-1])["libraries"]
    known = library == [] or (library[0]["flops"] == 2 * 4 * 5 * 6 and library[0]["bytes"] == 4 * (20 + 30 + 24))
    suite.tell("--stats=json of a product", [] if known else [stats.stdout])


def check_opt(suite):
    suite.case(["opt", "scale.ir", "--pass", "dce"], OK, "graph scale(")
    suite.case(["opt", "scale.ir", "--pass", "dcf"], USAGE, "there is no pass", "did you mean")
    suite.case(["opt", "scale.ir", "--pass", "nope"], USAGE,
               "there is no pass `nope`; passes are matmul, flatten, fold, simplify, contract, cse, dce, rows, fuse, schedule")
    suite.case(["opt", "scale.ir", "--pass", "fuse", "--pass", "schedule"], OK, "plan scale(")
    suite.case(["opt", "unsound.ir"], USER, "unsound.ir:2:3: error: g is not sound: types", without=["internal error"])
    suite.case(["opt", "unsound_twice.ir"], USER, "unsound_twice.ir:2:3: error: g is not sound: types",
               "unsound_twice.ir:3:3: error: g is not sound: types", without=["\ufffd"])
    for name in ["fuse", "dce", "schedule"]:
        suite.case(["opt", "plan.ir", "--pass", name], USER, f"error: `{name}` takes a graph: `f` is a plan")
    suite.case(["opt", "fused.ir", "--pass", "fuse"], USER,
               "fused.ir:2:3: error: `fuse` takes a graph without groups: `f` is fused")
    suite.case(["opt", "nested.ir", "--pass", "dce"], USER, "nested.ir:3:5: error: f is not sound: place",
               without=["internal error"])
    suite.case(["opt", "scale.ir", "--pass", "schedule"], USER,
               "scale.ir:2:3: error: `schedule` takes a fused graph: `neg` stands outside the groups", "run `fuse`")


def main():
    with tempfile.TemporaryDirectory() as name:
        suite = Suite(os.path.abspath(sys.argv[1]), Path(name))
        write_files(Path(name))
        suite.versions()
        check_run(suite)
        check_dump(suite)
        check_explain(suite)
        check_opt(suite)
        check_memory(suite)
        check_words(suite)
        check_outputs(suite)
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
