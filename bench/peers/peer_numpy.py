"""NumPy on the host, and numexpr where it is installed."""

import numpy as np

import workloads
from peer import Peer

try:
    from scipy.special import erf
except ImportError:
    erf = None
try:
    import numexpr
except ImportError:
    numexpr = None

P = "(((((c01 * x - c02) * x + c03) * x - c04) * x + c05) * x - c06) * x + c07"
S = "sin(x) * exp(-half * x * x)"
EXPRESSIONS = {
    "triad": "c2_5 * x + y",
    "chain": f"where(x > 0, {P} + {S}, {P} - half * {S})",
    "broadcast": "c1_25 * a * row + column",
}
CONSTANTS = {
    name: np.float32(value)
    for name, value in dict(
        c01=0.01, c02=0.02, c03=0.03, c04=0.04, c05=0.05, c06=0.06, c07=0.07, half=0.5, c2_5=2.5, c1_25=1.25
    ).items()
}


class NumPy(Peer):
    name = "numpy"
    clock = "host"

    def __init__(self):
        super().__init__()
        np.seterr(all="ignore")
        for function in workloads.FORMULAS:
            if function == "black_scholes" and erf is None:
                continue
            self.cases[(function, "numpy")] = lambda w, *a: lambda f=w.formula(np, erf): f(*a)
        self.cases[("copy", "numpy")] = self.copy
        if numexpr is not None:
            for function in EXPRESSIONS:
                self.cases[(function, "numexpr")] = self.expression

    def versions(self):
        return np.__version__ + (f", numexpr {numexpr.__version__}" if numexpr else "")

    @staticmethod
    def copy(workload, x):
        y = np.empty_like(x)

        def call():
            np.copyto(y, x)
            return y

        return call

    def expression(self, workload, *arrays):
        along = [given.get("along") for given in workload.inputs]
        shaped = [a if k is None else a[:, None] if k == 0 else a[None, :] for a, k in zip(arrays, along)]
        names = {given["name"]: a for given, a in zip(workload.inputs, shaped)} | CONSTANTS
        text, result = EXPRESSIONS[workload.function], np.empty(workload.shape, np.float32)
        return lambda: numexpr.evaluate(text, local_dict=names, out=result)

    def random(self, shape, low, high, seed):
        values = np.random.default_rng(seed).random(shape, dtype=np.float32)
        return values * np.float32(high - low) + np.float32(low)

    def line(self, count, low, high):
        return np.linspace(low, high, count, dtype=np.float32)

    def host(self, array, part):
        return np.asarray(array).reshape(-1)[part]


PEER = NumPy
