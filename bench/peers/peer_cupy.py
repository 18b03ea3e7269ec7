"""CuPy: cupy.fuse, ElementwiseKernel, and RawKernel with 16-byte accesses where one is easy to write."""

import cupy as cp
from cupyx.scipy.special import erf

import workloads
from peer import Peer

BODIES = {
    "copy": "y = x;",
    "triad": "z = 2.5f * x + y;",
    "chain": """
        float p = (((((0.01f*x - 0.02f)*x + 0.03f)*x - 0.04f)*x + 0.05f)*x - 0.06f)*x + 0.07f;
        float s = sinf(x) * expf(-0.5f*x*x);
        y = x > 0.0f ? p + s : p - 0.5f*s;""",
    "chain50": "y = x;" + "y = y * 1.0001f; y = y + 0.001f;" * 25,
    "black_scholes": """
        float deviation = v * sqrtf(t);
        float d1 = (logf(s / k) + (r + 0.5f*v*v) * t) / deviation, d2 = d1 - deviation;
        float n1 = 0.5f * (1.0f + erff(d1 * 0.70710678f)), n2 = 0.5f * (1.0f + erff(d2 * 0.70710678f));
        float discounted = k * expf(-r * t);
        call = s * n1 - discounted * n2;
        put = call - s + discounted;""",
    "broadcast": "b = 1.25f * a * row + column;",
    "adam": """
        m2 = 0.9f * m + 0.1f * g;
        v2 = 0.999f * v + 0.001f * g * g;
        p2 = p - 0.001f * (m2 * 10.0f) / (sqrtf(v2 * 1000.0f) + 1e-8f);""",
    "mandelbrot": """
        float zr = 0.0f, zi = 0.0f;
        int count = 0;
        for (int i = 0; i < 100; ++i) {
            float a = zr * zr, b = zi * zi;
            if (a + b > 4.0f) break;
            ++count;
            zi = 2.0f * zr * zi + ci;
            zr = a - b + cr;
        }
        steps = count;""",
}

RAW = {
    "copy": ("const float4* x, float4* y", "y[i] = x[i];", 1),
    "triad": (
        "const float4* x, const float4* y, float4* z",
        "float4 a = x[i], b = y[i];"
        "z[i] = make_float4(2.5f*a.x + b.x, 2.5f*a.y + b.y, 2.5f*a.z + b.z, 2.5f*a.w + b.w);",
        1,
    ),
}


class CuPy(Peer):
    name = "cupy"

    def __init__(self):
        super().__init__()
        for function in workloads.FORMULAS:
            self.cases[(function, "kernel")] = self.kernel
            if function not in ("copy", "mandelbrot"):
                self.cases[(function, "fuse")] = self.fuse
        for function in RAW:
            self.cases[(function, "raw")] = self.raw

    def versions(self):
        return f"{cp.__version__}, NVRTC {'.'.join(map(str, cp.cuda.nvrtc.getVersion()))}"

    def start(self):
        cp.ElementwiseKernel("float32 x", "float32 y", "y = 3 * x - 1", "warm_up")(cp.ones(1024, cp.float32))
        self.wait()

    @staticmethod
    def aligned(workload, arrays):
        """Vectors as the columns and rows that they are."""
        along = [given.get("along") for given in workload.inputs]
        return [a if k is None else a[:, None] if k == 0 else a[None, :] for a, k in zip(arrays, along)]

    def kernel(self, workload, *arrays):
        inputs = ", ".join(f"float32 {given['name']}" for given in workload.inputs)
        outputs = ", ".join(f"float32 {name}" for name in workload.outputs)
        kernel = cp.ElementwiseKernel(inputs, outputs, BODIES[workload.function], workload.function)
        arrays = self.aligned(workload, arrays)
        return lambda: kernel(*arrays)

    def fuse(self, workload, *arrays):
        names = ", ".join(given["name"] for given in workload.inputs)
        formula = (
            "1.25 * a * row + column" if workload.function == "broadcast" else f"formula(cp, erf, {names})"
        )
        scope = dict(cp=cp, erf=erf, formula=workloads.FORMULAS[workload.function])
        exec(
            f"def fused_{workload.function}({names}):\n    return {formula}\n", scope
        )  # fuse reads the signature
        fused = cp.fuse(scope[f"fused_{workload.function}"])
        arrays = self.aligned(workload, arrays)
        return lambda: fused(*arrays)

    def raw(self, workload, *arrays):
        parameters, body, outputs = RAW[workload.function]
        if workload.elements % 4:
            raise ValueError("the hand-written kernel takes multiples of four elements")
        text = (
            f'extern "C" __global__ void raw({parameters}, long long n) '
            f"{{ long long i = blockIdx.x * 128LL + threadIdx.x; if (i < n) {{ {body} }} }}"
        )
        kernel = cp.RawKernel(text, "raw")
        groups = workload.elements // 4
        results = [cp.empty(workload.shape, cp.float32) for _ in range(outputs)]
        grid, arguments = ((groups + 127) // 128,), (*arrays, *results, cp.int64(groups))

        def call():
            kernel(grid, (128,), arguments)
            return results

        return call

    def random(self, shape, low, high, seed):
        cp.random.seed(seed)
        values = cp.random.random(shape, dtype=cp.float32)
        values *= cp.float32(high - low)
        values += cp.float32(low)
        return values

    def line(self, count, low, high):
        return cp.linspace(low, high, count, dtype=cp.float32)

    def host(self, array, part):
        return cp.asnumpy(array.ravel()[part])

    def wait(self, result=None):
        cp.cuda.runtime.deviceSynchronize()

    def event(self):
        event = cp.cuda.Event()
        event.record()
        return event

    def elapsed(self, begin, end):
        return cp.cuda.get_elapsed_time(begin, end)

    def free(self):
        cp.get_default_memory_pool().free_all_blocks()


PEER = CuPy
