#!/usr/bin/env python3
# Checks the habits of the sources: length, first line, names, and what library rooms must not do.
"""Usage: check_sources.py [ROOT]. Prints file:line for each fault; exit code 1 when there is one."""

import re
import sys
from pathlib import Path

MAX_LINES = 500

LIBRARY = ["compiler", "dsl", "runtime", "include"]
PROGRAMS = ["cli", "tests", "bench", "samples"]
SUFFIXES = {".h", ".cpp", ".def", ".cuh"}

# Tables are as long as their rows need.
TABLE = re.compile(r"(\.def|_tables?\.(h|cpp))$")
NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")

# What library code never does, with the words of the complaint.
BANNED = [
    (re.compile(r"std::(cout|cerr|clog)\b|(?<![\w.>])(printf|fprintf|puts|putchar)\s*\(|(fmt|std)::print(ln)?\b"),
     "library code does not print"),
    (re.compile(r"(?<![\w.>])(std::|::)?_?(abort|exit|_Exit|quick_exit|terminate)\s*\("),
     "library code does not end the process"),
    (re.compile(r"(?<!operator )\bnew\s+[A-Za-z_:]|(?<!operator )\bdelete\s*(\[\s*\])?\s*[A-Za-z_*(]"),
     "no bare new or delete"),
]

# Comments and literals, which may say anything: raw strings, strings, characters, comments.
# A quote after a word character is a digit separator, not a character literal.
SILENT = re.compile(
    r'R"(?P<tag>[^\s()\\]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/',
    re.DOTALL)


def code_only(text):
    """`text` with comments and literals blanked, line numbers kept."""
    return SILENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def length_faults(path, lines):
    if TABLE.search(path):
        return
    if len(lines) > MAX_LINES:
        yield f"{path}:{MAX_LINES + 1}: {len(lines)} lines; the limit is {MAX_LINES}"


def library_faults(path, text):
    for number, line in enumerate(code_only(text).splitlines(), 1):
        for pattern, complaint in BANNED:
            if pattern.search(line):
                yield f"{path}:{number}: {complaint}: {line.strip()}"


def check_file(root, path, is_library):
    """Yields the faults of one file as text."""
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if not NAME.fullmatch(Path(path).name):
        yield f"{path}:1: file names are snake_case"
    if not lines or not lines[0].startswith("// "):
        yield f"{path}:1: the first line is a // comment that says what the file is for"
    yield from length_faults(path, lines)
    if is_library:
        yield from library_faults(path, text)


def sources(root):
    """(path, is_library) for every source file, in order."""
    for folder in [*LIBRARY, *PROGRAMS]:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                yield file.relative_to(root).as_posix(), folder in LIBRARY


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    faults = [fault for path, library in sources(root) for fault in check_file(root, path, library)]
    print("\n".join(faults) if faults else "every source keeps the habits")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
