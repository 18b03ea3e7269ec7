#!/usr/bin/env python3
# Checks that a room includes only rooms that stand left of it, and that outside headers stay in their rooms.
"""Usage: check_includes.py [ROOT]. Prints file:line for each fault; exit code 1 when there is one."""

import re
import sys
from pathlib import Path

# The house: each room with the rooms it stands on directly. A room sees these and all that they see.
ARROWS = {
    "include": [],
    "compiler/support": [],
    "compiler/ops": ["compiler/support", "include"],
    "compiler/ir": ["compiler/ops"],
    "compiler/passes": ["compiler/ir"],
    "compiler/schedule": ["compiler/passes"],
    "compiler/codegen": ["compiler/ir"],
    "compiler/interpreter": ["compiler/ir"],
    "dsl": ["compiler/ir"],
    "compiler/pipeline": ["compiler/schedule", "compiler/codegen", "compiler/interpreter", "dsl"],
    "runtime/io": ["compiler/ops"],
    "runtime/device": ["compiler/codegen"],
    "runtime/cache": ["runtime/device"],
    "runtime/cuda": ["runtime/device"],
    "runtime/cpu": ["runtime/device"],
    "runtime/session": ["compiler/pipeline", "runtime/io", "runtime/cache", "runtime/cuda", "runtime/cpu"],
    "runtime/script": ["runtime/session"],
    "cli": ["runtime/script"],
}

# Folders that may see every room.
OPEN = ["tests", "bench", "samples"]

# Generated headers "embedded/NAME.h" and the room that owns each; every other one belongs to codegen.
EMBEDDED = {"dsl_prelude": "dsl"}

# Outside headers that only some places may include.
KEPT = {
    "llvm/": ["runtime/cpu/orc_engine.cpp"],
    "tbb/": ["runtime/cpu/", "cli/version.cpp"],
    "oneapi/": ["runtime/cpu/"],
    "sleef": ["runtime/cpu/", "tests/"],
    "gmp": ["compiler/ops/unbounded.h", "dsl/", "cli/version.cpp", "tests/"],
    "mpfr": ["tests/"],
    "png.h": ["runtime/io/", "cli/version.cpp"],
    "zlib.h": ["runtime/io/", "cli/version.cpp"],
    "CLI/": ["cli/", "tests/", "bench/"],
    "dlfcn.h": ["runtime/cuda/", "runtime/cpu/", "tests/", "bench/"],
    "cuda": ["runtime/cuda/", "tests/", "bench/"],
    "nvrtc": ["runtime/cuda/", "tests/", "bench/"],
    "cublas": ["runtime/cuda/", "tests/", "bench/"],
    "cufft": ["runtime/cuda/", "tests/", "bench/"],
    "iostream": ["cli/", "tests/", "bench/", "samples/"],
}

SUFFIXES = {".h", ".cpp", ".def", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def visible(room):
    """All rooms that `room` may include, itself among them."""
    seen, todo = {room}, list(ARROWS[room])
    while todo:
        next_room = todo.pop()
        if next_room not in seen:
            seen.add(next_room)
            todo.extend(ARROWS[next_room])
    return seen


def room_of(path):
    """The room or open folder that holds the root-relative `path`, or None."""
    for room in [*ARROWS, *OPEN]:
        if path.startswith(room + "/"):
            return room
    return None


def owner_of(root, included):
    """The room that a quoted include belongs to, or None when there is no such file."""
    if included.startswith("embedded/"):
        return EMBEDDED.get(Path(included).stem, "compiler/codegen")
    if (root / "include" / included).is_file():
        return "include"
    return room_of(included) if (root / included).is_file() else None


def quoted_fault(root, path, included):
    """What is wrong with `#include "included"` in `path`, or None."""
    room = room_of(path)
    owner = owner_of(root, included)
    if room in OPEN and (owner or (root / path).with_name(included).is_file()):
        return None
    if owner is None:
        return f'"{included}" is not a file of the project (paths start at the root)'
    if owner in visible(room):
        return None
    return f"{room} may not include {owner} ({included})"


def outside_fault(path, included):
    """What is wrong with `#include <included>` in `path`, or None."""
    for prefix, places in KEPT.items():
        if included.startswith(prefix) and not any(path.startswith(place) for place in places):
            return f"<{included}> belongs to {', '.join(places)} only"
    return None


def check_file(root, path):
    """Yields the faults of one file as text."""
    lines = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, outside = match.groups()
        fault = quoted_fault(root, path, quoted) if quoted else outside_fault(path, outside)
        if fault:
            yield f"{path}:{number}: {fault}"


def sources(root):
    """Root-relative paths of all C++ files of the rooms and open folders, in order."""
    for room in [*ARROWS, *OPEN]:
        for file in sorted((root / room).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                yield file.relative_to(root).as_posix()


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    faults = [fault for path in sources(root) for fault in check_file(root, path)]
    print("\n".join(faults) if faults else "every include follows the arrows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
