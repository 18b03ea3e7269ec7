#!/usr/bin/env python3
# Adds up the cases of all suites that ctest ran, and ends with the closing line of ./dev test.
"""Usage: sum_results.py JUNIT_FILE...

Reads ctest's --output-junit files. A suite tells its cases by a last line "N passed, N failed[, N skipped]" or by
Catch2's summary; one that tells nothing counts as one case. A suite that fails without a failed case (a crash, a
time-out) counts as one failed case. The exit code is 1 when a case failed or when nothing ran.
"""

import re
import sys
import xml.etree.ElementTree as ET

CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$", re.MULTILINE)
CATCH_GOOD = re.compile(r"^All tests passed \(.*? in (\d+) test cases?\)", re.MULTILINE)
CATCH_BAD = re.compile(r"^test cases: *(\d+)(?: \| *(\d+) passed)?(?: \| *(\d+) failed)?(?: \| *(\d+) skipped)?",
                       re.MULTILINE)


def cases_in(output):
    """(passed, failed, skipped) as the suite's own output tells it, or None."""
    closing = CLOSING.findall(output)
    if closing:
        return tuple(int(number or 0) for number in closing[-1])
    good = CATCH_GOOD.findall(output)
    if good:
        return int(good[-1]), 0, 0
    bad = CATCH_BAD.findall(output)
    if bad:
        return tuple(int(number or 0) for number in bad[-1][1:])
    return None


def cases_of(case):
    """(passed, failed, skipped) of one ctest entry."""
    skipped = case.find("skipped")
    # A program that is missing is also told as skipped; only a suite's own wish to skip counts as that.
    if case.get("status") == "disabled" or (skipped is not None and "SKIP" in (skipped.get("message") or "")):
        return 0, 0, 1
    if skipped is not None:
        return 0, 1, 0
    broken = case.find("failure") is not None or case.get("status") == "fail"
    output = case.findtext("system-out") or ""
    passed, failed, skipped = cases_in(output) or (0 if broken else 1, 0, 0)
    return passed, failed + (1 if broken and failed == 0 else 0), skipped


def main():
    total = [0, 0, 0]
    for path in sys.argv[1:]:
        for case in ET.parse(path).getroot().iter("testcase"):
            counts = cases_of(case)
            total = [a + b for a, b in zip(total, counts)]
            if counts[1]:
                print(f"failed: {case.get('name')} ({counts[1]} of {sum(counts)} cases)")
    passed, failed, skipped = total
    if passed + failed == 0:
        print("no suite ran")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
