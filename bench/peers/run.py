"""Times Fuseline and other libraries on the same workloads and machine in one run, and prints the tables.

    python3 bench/peers/run.py [--program build/gpu-bundle/bin/fuseline_bench] [--quick] [--out FOLDER]

Each library runs in a process of its own, with a time limit and empty compiler caches; a library that is
missing or fails leaves its place empty. FOLDER gets tables.txt, results.json and logs. With --device cpu:
Fuseline's CPU back end and NumPy.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GPU_PEERS = ["cupy", "torch", "jax", "numba"]
FRESH = ["cupy.fuse", "cupy.kernel", "numba.cuda", "jax.jit", "torch.eager", "torch.compile"]
BEGIN = time.time()


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", help="fuseline_bench (default: the one in build/)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N or cpu")
    parser.add_argument(
        "--size", choices=["full", "quick", "cpu", "tiny"], help="default: full, cpu with --device cpu"
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, and fresh processes only once")
    parser.add_argument("--only", default="", help="workloads, comma-separated")
    parser.add_argument("--peers", help="libraries, comma-separated (default: all)")
    parser.add_argument(
        "--option", action="append", default=[], help="also measure rows that allow it under this option"
    )
    parser.add_argument("--no-fresh", action="store_true", help="leave out fresh processes")
    parser.add_argument("--seconds", type=float, default=290, help="limit of the whole run")
    parser.add_argument(
        "--out",
        default=os.environ.get("OUT"),
        help="folder for results (default: $OUT, else a temporary one)",
    )
    flags = parser.parse_args()
    flags.cpu = flags.device == "cpu"
    flags.size = flags.size or ("quick" if flags.quick else "cpu" if flags.cpu else "full")
    flags.peers = flags.peers.split(",") if flags.peers is not None else ["numpy"] if flags.cpu else GPU_PEERS
    flags.peers = [p for p in flags.peers if p]
    flags.out = os.path.abspath(flags.out or tempfile.mkdtemp(prefix="fuseline-bench-"))
    flags.option = flags.option or ["contract"]
    flags.end = BEGIN + flags.seconds
    if flags.program is None:
        places = ["build/bin/fuseline_bench", "build/gpu-bundle/bin/fuseline_bench"]
        places = [os.path.join(ROOT, p) for p in (places if flags.cpu else places[::-1])]
        flags.program = next((p for p in places if os.path.exists(p)), places[0])
    flags.program = os.path.abspath(flags.program)
    return flags


def say(text):
    print(f"[{time.time() - BEGIN:5.1f} s] {text}", file=sys.stderr, flush=True)


def environment(caches, name):
    """Compiler caches in a folder of this run, empty at first."""
    folder = os.path.join(caches, name)
    os.makedirs(folder, exist_ok=True)
    places = dict(
        CUPY_CACHE_DIR="cupy",
        TORCHINDUCTOR_CACHE_DIR="inductor",
        TRITON_CACHE_DIR="triton",
        CUDA_CACHE_PATH="nv",
        JAX_COMPILATION_CACHE_DIR="jax",
        NUMBA_CACHE_DIR="numba",
        FUSELINE_CACHE_DIR="fuseline",
    )
    settings = {key: os.path.join(folder, place) for key, place in places.items()}
    settings.update(
        XLA_PYTHON_CLIENT_PREALLOCATE="false",
        TF_CPP_MIN_LOG_LEVEL="2",
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0",
        JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES="-1",
    )
    return {**os.environ, **settings}


def execute(command, log, seconds, env):
    """Runs a command with its output in a log; gives None, or what went wrong. Ends its children with it."""
    with open(log, "a") as file:
        try:
            process = subprocess.Popen(
                command, stdout=file, stderr=file, env=env, cwd=HERE, start_new_session=True
            )
        except OSError as error:
            return str(error)
        try:
            code = process.wait(timeout=max(1, seconds))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    if code == 0:
        return None
    if code is None:
        process.wait()
        return "no answer within its time"
    with open(log, errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return f"exit code {code}: {lines[-1][:200] if lines else ''}"


def run_fuseline(flags, caches, results):
    out = os.path.join(flags.out, "fuseline.json")
    command = [
        flags.program,
        "--programs",
        os.path.join(HERE, "..", "programs"),
        "--device",
        flags.device,
        "--size",
        flags.size,
        "--json",
        out,
    ]
    command += [item for option in flags.option for item in ("--option", option)]
    if flags.only:
        command += ["--only", flags.only]
    failure = execute(
        command,
        os.path.join(flags.out, "fuseline.log"),
        min(120, flags.end - time.time()),
        environment(caches, "fuseline"),
    )
    if failure:
        results["failed"]["fuseline"] = failure
        return
    with open(out) as file:
        record = json.load(file)
    results["libraries"]["fuseline"] = record["device"]
    results["rows"] += [dict(row, library="fuseline") for row in record["rows"]]
    results["first_calls"] = record["first_calls"]


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def run_peer(flags, peer, caches, results, limit):
    """A library's rows; after a case that ends the process or never ends, goes on with the next one."""
    lines = os.path.join(flags.out, peer + ".jsonl")
    if os.path.exists(lines):
        os.remove(lines)
    end, skip, failure = min(flags.end, time.time() + limit), [], None
    while time.time() < end:
        command = [
            sys.executable,
            "-W",
            "ignore",
            "worker.py",
            "--peer",
            peer,
            "--size",
            flags.size,
            "--lines",
            lines,
            "--only",
            flags.only,
            "--skip",
            ",".join(skip),
        ]
        failure = execute(
            command, os.path.join(flags.out, peer + ".log"), end - time.time(), environment(caches, peer)
        )
        records = read_lines(lines)
        begun = [r["case"] for r in records if r["kind"] == "begin"]
        if failure is None or len(begun) == len(skip):
            break
        skip = begun
        results["failed"][f"{peer} {begun[-1]}"] = failure
    records = read_lines(lines)
    if failure:
        results["failed"][peer] = failure
    for record in records:
        if record["kind"] == "peer":
            results["libraries"][peer] = record["versions"]
        elif record["kind"] == "row":
            results["rows"].append(record)


def fresh_command(flags, who, salt):
    if who == "fuseline":
        return [
            flags.program,
            "--programs",
            os.path.join(HERE, "..", "programs"),
            "--device",
            flags.device,
            "--fresh",
            str(salt),
        ]
    return [sys.executable, "-W", "ignore", os.path.join(HERE, "fresh.py"), who]


def run_fresh(flags, who, caches, results):
    """Seconds from starting a process to its first result, with empty caches, then with those it left."""
    row, salt = dict(who=who), int(time.time()) % 100_000 + 100_000
    for state in ("cold",) if flags.quick else ("cold", "warm"):
        left = flags.end - time.time()
        if left < 3:
            break
        log = os.path.join(flags.out, f"fresh-{who}-{state}.log")
        open(log, "w").close()
        begin = time.time()
        failure = execute(
            fresh_command(flags, who, salt), log, min(45, left), environment(caches, "fresh-" + who)
        )
        if failure is None:
            with open(log, errors="replace") as file:
                row[state] = float(re.findall(r'"at": ([0-9.]+)', file.read())[-1]) - begin
        else:
            results["failed"][f"fresh {who} {state}"] = failure
    results["fresh"].append(row)


def run_all(flags, caches):
    results = dict(
        size=flags.size, device=flags.device, libraries={}, failed={}, rows=[], first_calls=[], fresh=[]
    )
    run_fuseline(flags, caches, results)
    say("fuseline")
    for position, peer in enumerate(flags.peers):
        left = flags.end - time.time()
        run_peer(flags, peer, caches, results, min(100, left - 8 * (len(flags.peers) - position - 1)))
        say(peer)
    if not flags.no_fresh:
        names = ["fuseline"] + [name for name in FRESH if name.split(".")[0] in results["libraries"]]
        if flags.cpu and "numpy" in flags.peers:
            names.append("numpy.numpy")
        for name in names:
            run_fresh(flags, name, caches, results)
        say("fresh processes")
    return results


def main():
    flags = parse()
    os.makedirs(flags.out, exist_ok=True)
    caches = tempfile.mkdtemp(prefix="fuseline-caches-")
    try:
        results = run_all(flags, caches)
    finally:
        shutil.rmtree(caches, ignore_errors=True)
    with open(os.path.join(flags.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    text = table.render(results)
    with open(os.path.join(flags.out, "tables.txt"), "w") as file:
        file.write(text)
    print(text)
    return 0 if any(row["library"] == "fuseline" and "failed" not in row for row in results["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
