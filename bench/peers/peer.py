"""What a peer library offers, and how its rows are checked and timed: the same way for all."""

import math
import time

clock = time.perf_counter


class Peer:
    """A library: `cases[(function, variant)]` builds a callable from (workload, inputs)."""

    name = "?"
    clock = "events"  # or "host": several calls, then a wait, by the host's clock

    def __init__(self):
        self.cases = {}

    def versions(self):
        return ""

    def start(self):
        """Creates the context and compiles something trivial."""

    def random(self, shape, low, high, seed):
        raise NotImplementedError

    def line(self, count, low, high):
        raise NotImplementedError

    def host(self, array, part):
        """The slice `part` of the flattened array as a NumPy array."""
        raise NotImplementedError

    def wait(self, result=None):
        """Waits for the device, or for a result."""

    def event(self):
        """A recorded event."""

    def elapsed(self, begin, end):
        """Milliseconds between two events that have happened."""

    def free(self):
        """Gives unused device memory back."""

    def inputs(self, workload):
        arrays = []
        for seed, given in enumerate(workload.inputs, 1):
            shape = workload.input_shape(given)
            if given.get("line"):
                arrays.append(self.line(shape[0], given["low"], given["high"]))
            else:
                arrays.append(self.random(shape, given["low"], given["high"], seed))
        self.wait()
        return arrays


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def as_outputs(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def error_of(peer, workload, arrays, result):
    """Distance from the f64 formula on samples: norm(out - ref) / norm(ref), or the share of unequal ones."""
    import numpy as np

    outputs = as_outputs(result)
    count = min(workload.elements, 2048)
    sums = [[0.0, 0.0, 0, 0] for _ in outputs]
    for block in range(8):
        first = (workload.elements - count) * block // 7
        reference = as_outputs(reference_of(workload, *columns(peer, workload, arrays, first, count)))
        for output, expected, total in zip(outputs, reference, sums):
            value = peer.host(output, slice(first, first + count)).astype(np.float64)
            total[0] += float(((value - expected) ** 2).sum())
            total[1] += float((expected**2).sum())
            total[2] += int((value != expected).sum())
            total[3] += count
    if workload.compares_equal:
        return max(t[2] / t[3] for t in sums)
    return max(math.sqrt(t[0] / t[1]) if t[1] else math.nan for t in sums)


def columns(peer, workload, arrays, first, count):
    """Elements [first, first + count) of the inputs as the outputs see them."""
    import numpy as np

    index = np.arange(first, first + count)
    for given, array in zip(workload.inputs, arrays):
        if "along" not in given:
            yield peer.host(array, slice(first, first + count)).astype(np.float64)
        else:
            along = index // workload.n if given["along"] == 0 else index % workload.n
            yield peer.host(array, slice(0, workload.n)).astype(np.float64)[along]


def reference_of(workload, *flat):
    """The formula on flat columns, where broadcasting has been done already."""
    import numpy as np
    import workloads

    erf = np.vectorize(math.erf, otypes=[float])
    if workload.function == "broadcast":
        a, row, column = flat
        return 1.25 * a * row + column
    if workload.function == "mandelbrot":
        zero = np.zeros_like(flat[0])
        with np.errstate(all="ignore"):
            return workloads.mandelbrot_steps(100, zero, zero, zero, *flat)[2]
    return workload.formula(np, erf)(*flat)


def time_events(peer, call, runs):
    events = []
    for _ in range(runs):
        begin = peer.event()
        call()
        events.append((begin, peer.event()))
    peer.wait()
    return [peer.elapsed(begin, end) for begin, end in events]


def time_host(peer, call, runs, calls):
    series = []
    for _ in range(runs):
        begin = clock()
        for _ in range(calls):
            result = call()
        peer.wait(result)
        series.append((clock() - begin) * 1e3 / calls)
    return series


def measure(peer, workload, call):
    """The timings of a warm callable, as fields of its row."""
    begin = clock()
    count = 0
    while count < 3 or (count < 50 and clock() - begin < 0.05):
        peer.wait(call())
        count += 1
    last = clock()
    peer.wait(call())
    estimate = (clock() - last) * 1e3
    if workload.small:
        calls = max(1, min(100, int(10 / max(estimate, 1e-3))))
        return dict(
            us=median(time_host(peer, call, 51, calls)) * 1e3,
            clock="host",
            us_waited=median(time_host(peer, call, 200 if estimate < 1 else 20, 1)) * 1e3,
        )
    runs = 30 if estimate < 50 else 20
    if peer.clock == "events":
        series = time_events(peer, call, runs)
    else:
        series = time_host(peer, call, runs, max(1, min(50, int(12 / max(estimate, 1e-3)))))
    return dict(ms=median(series), ms_least=min(series), runs=runs, clock=peer.clock)


def run_case(peer, workload, variant, arrays):
    """One row: first call, check, timings."""
    row = dict(workload=workload.name, variant=variant, bytes=workload.bytes)
    begin = clock()
    call = peer.cases[(workload.function, variant)](workload, *arrays)
    result = call()
    peer.wait(result)
    row["first_ms"] = (clock() - begin) * 1e3
    error = error_of(peer, workload, arrays, result)
    row.update(error=error if math.isfinite(error) else None, ok=bool(error <= workload.tolerance))
    del result
    row.update(measure(peer, workload, call))
    return row
