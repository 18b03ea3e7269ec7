"""The tables of a run: table.py results.json prints them again."""

import json
import sys

import workloads


def grid(head, rows):
    """Columns as wide as they need; the first to the left, the others to the right."""
    lines = [head, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        text.append("  ".join(cells).rstrip())
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text) + "\n"


def number(value, digits=3):
    """Three significant digits without an exponent; a dash for nothing."""
    if value is None:
        return "-"
    if value >= 10**digits:
        return f"{value:.0f}"
    return f"{value:.{digits}g}" if value >= 1e-3 else f"{value:.1e}"


def who(row):
    if row["library"] == "fuseline":
        return "fuseline" if row["variant"] == "default" else "fuseline " + row["variant"]
    return f"{row['library']}.{row['variant']}" if row["library"] != row["variant"] else row["library"]


def time_of(row):
    return row.get("us", row.get("ms"))


class Run:
    def __init__(self, results):
        self.results = results
        self.rows = [row for row in results["rows"] if "failed" not in row and time_of(row)]
        names = [row["workload"] for row in results["rows"]]
        self.workloads = [w for w in workloads.load(results["size"]) if w.name in names]
        copies = [row for row in self.rows if row["workload"] == "copy" and row.get("ok")]
        self.copy = max(copies, key=self.rate) if copies else None

    @staticmethod
    def rate(row):
        return row["bytes"] / row["ms"] / 1e6

    def of(self, workload, ours):
        return [
            r for r in self.rows if r["workload"] == workload.name and (r["library"] == "fuseline") == ours
        ]

    def best_peer(self, workload):
        rows = [r for r in self.of(workload, False) if r.get("ok")]
        return min(rows, key=time_of) if rows else None


def large_table(run):
    rows = []
    for workload in run.workloads:
        if workload.small:
            continue
        best = run.best_peer(workload)
        for row in run.of(workload, True):
            name = workload.title + ("" if row["variant"] == "default" else f" ({row['variant']})")
            of_copy = (
                f"{run.rate(row) / run.rate(run.copy):.2f}"
                if run.copy and not workload.compute_bound
                else "-"
            )
            rows.append(
                [
                    name,
                    number(row["ms"], 4),
                    number(run.rate(row), 4),
                    of_copy,
                    who(best) if best else "-",
                    number(best["ms"], 4) if best else "-",
                    f"{best['ms'] / row['ms']:.2f}" if best else "-",
                    str(row.get("kernels", "-")),
                    number(row["error"], 2) + ("" if row["ok"] else " WRONG"),
                ]
            )
    head = ["workload", "ms", "GB/s", "of copy", "best peer", "its ms", "its ms / ours", "kernels", "error"]
    return grid(head, rows) if rows else ""


def each_table(run, small):
    """Every library's time: ms of large workloads, us a call of small ones."""
    names = []
    for row in run.rows:
        if who(row) not in names:
            names.append(who(row))
    rows = []
    for workload in run.workloads:
        if workload.small != small:
            continue
        found = {who(r): r for r in run.rows if r["workload"] == workload.name}
        cells = [
            number(time_of(found[n]), 4) + ("" if found[n].get("ok") else "!") if n in found else "-"
            for n in names
        ]
        rows.append([workload.title, *cells])
    return grid(["workload", *names], rows) if rows else ""


def small_table(run):
    rows = []
    for workload in run.workloads:
        best = run.best_peer(workload)
        waited = min(
            (r["us_waited"] for r in run.of(workload, False) if r.get("ok") and "us_waited" in r),
            default=None,
        )
        for row in run.of(workload, True) if workload.small else []:
            name = workload.title + ("" if row["variant"] == "default" else f" ({row['variant']})")
            rows.append(
                [
                    name,
                    number(row["us"]),
                    number(row["us_owned"]),
                    number(row["us_waited"]),
                    who(best) if best else "-",
                    number(best["us"]) if best else "-",
                    f"{best['us'] / row['us']:.2f}" if best else "-",
                    number(waited),
                    number(row["error"], 2) + ("" if row["ok"] else " WRONG"),
                ]
            )
    head = [
        "workload",
        "us",
        "own results",
        "and wait",
        "best peer",
        "its us",
        "its us / ours",
        "least and wait",
        "error",
    ]
    return grid(head, rows) if rows else ""


def first_table(run):
    peers = []
    for row in run.rows:
        if "first_ms" in row and who(row) not in peers:
            peers.append(who(row))
    rows = []
    for first in run.results["first_calls"]:
        series = sorted(first["ms"])
        found = {
            who(r): r["first_ms"] for r in run.rows if r["workload"] == first["workload"] and "first_ms" in r
        }
        rows.append(
            [
                first["workload"],
                number(series[len(series) // 2]),
                number(first["compile_ms"]),
                *[number(found.get(name)) for name in peers],
            ]
        )
    return grid(["workload", "fuseline", "of it compiler", *peers], rows) if rows else ""


def fresh_table(run):
    rows = [[f["who"], number(f.get("cold")), number(f.get("warm"))] for f in run.results["fresh"]]
    return grid(["process", "cold s", "warm s"], rows) if rows else ""


def render(results):
    run = Run(results)
    text = [f"size: {results['size']}"]
    text += [f"{name}: {version}" for name, version in results["libraries"].items()]
    if run.copy:
        text.append(f"copy rate of this run: {run.rate(run.copy):.0f} GB/s ({who(run.copy)})")
    parts = [
        ("Fuseline and the best peer (each input read once, each output written once)", large_table(run)),
        ("Every library, ms (! = wrong)", each_table(run, False)),
        ("Small calls, host side included: us a call, enqueued one after another", small_table(run)),
        ("Every library, us a call", each_table(run, True)),
        (
            "First call of a program never seen, ms: from its text to its result, context apart",
            first_table(run),
        ),
        ("From a fresh process to the first result on the host", fresh_table(run)),
    ]
    for title, body in parts:
        if body:
            text += ["", title, "", body.rstrip("\n")]
    failed = dict(results["failed"])
    for row in results["rows"]:
        if "failed" in row:
            failed[f"{who(row)} {row['workload']}"] = row["failed"]
    if failed:
        text += ["", "Not measured"] + [f"  {name}: {reason}" for name, reason in failed.items()]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(render(json.load(file)))
