#!/usr/bin/env python3
# Takes README.md's program and C++ example apart, for a test that compiles and runs them.
"""Usage: extract_example.py README FOLDER

Writes FOLDER/prices.dsl (the first fenced block), FOLDER/readme_includes.inc and FOLDER/readme_body.inc (the block
marked cpp: its #include lines, and the rest).
"""

import re
import sys
from pathlib import Path


def main():
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    folder = Path(sys.argv[2])
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    program = next(body for _, body in blocks)
    example = next(body for language, body in blocks if language == "cpp").splitlines(keepends=True)
    includes = [line for line in example if line.startswith("#include")]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prices.dsl").write_text(program, encoding="utf-8")
    (folder / "readme_includes.inc").write_text("".join(includes), encoding="utf-8")
    (folder / "readme_body.inc").write_text("".join(line for line in example if line not in includes),
                                            encoding="utf-8")


if __name__ == "__main__":
    main()
