# Prints the short tables of a spikes.json: percent of the copy rate by variant, launch and compile times.
# Usage: summary.py <spikes.json>
import json
import sys


def matrix(title, cells, columns, unit="%6.1f"):
    """cells: {row name: {column: value}}"""
    print(f"\n{title}")
    width = max((len(name) for name in cells), default=0)
    print(" " * width + "".join(f"{c:>11}" for c in columns))
    for name, row in cells.items():
        shown = (f"{unit % row[c]:>11}" if c in row else f"{'-':>11}" for c in columns)
        print(name.ljust(width) + "".join(shown))


def wrong(record, allowed):
    error = record["error"]
    return " WRONG" if record["not_written"] or error is None or error >= allowed else ""


def softmax(parts):
    cells, columns = {}, []
    for name, records in parts.items():
        if not name.startswith("softmax-"):
            continue
        columns.append(int(name.split("-")[1]))
        for r in records:
            if "of_copy" not in r:
                continue
            row = f"{r['variant']}, {r['mode']}" + (", off by 4" if r["shift"] else "")
            best = cells.setdefault(row + wrong(r, 1e-5), {})
            best[r["columns"]] = max(best.get(r["columns"], 0), 100 * r["of_copy"])
    matrix("softmax, % of copy, best geometry", cells, sorted(columns))


def elementwise(parts, label):
    chain, broadcast, shapes = {}, {}, []
    for r in parts.get(f"elementwise-{label}", []):
        if "of_copy" not in r:
            continue
        mark = wrong(r, 3e-5)
        if r["what"] == "chain":
            row = chain.setdefault(r["variant"] + mark, {})
            row[r["place"]] = max(row.get(r["place"], 0), 100 * r["of_copy"])
        else:
            if r["columns"] not in shapes:
                shapes.append(r["columns"])
            name = f"{r['variant']} {r['place']}{mark}"
            broadcast.setdefault(name, {})[r["columns"]] = 100 * r["of_copy"]
    matrix(f"chain of 20, {label}, % of copy, better of 128 and 256 threads", chain,
           ["aligned", "tail", "off by 4", "output off"])
    if broadcast:
        matrix("row + column broadcast, % of copy, by columns", broadcast, shapes)


def times(parts):
    compiles = {}
    for library in ("nvrtc", "nvrtc-alt"):
        for r in parts.get(library, []):
            if "ms" in r:
                compiles.setdefault(f"{r['what']}  {r['kernel']}", {})[library] = r["ms"]
    matrix("NVRTC, ms", compiles, ["nvrtc", "nvrtc-alt"])
    print("\ndriver")
    for part, records in parts.items():
        for r in records:
            if "value" in r:
                note = f" ({part})" if part != "launch" else ""
                print(f"{r['what']:<62}{r['value']:>11.3f} {r['unit']}{note}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        parts = json.load(file)
    times(parts)
    for label in ("strict", "contract"):
        elementwise(parts, label)
    softmax(parts)


main()
