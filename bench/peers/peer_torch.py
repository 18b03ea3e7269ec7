"""PyTorch: eager and torch.compile."""

import torch

import workloads
from peer import Peer


class Torch(Peer):
    name = "torch"

    def __init__(self):
        super().__init__()
        torch.set_grad_enabled(False)
        for function in workloads.FORMULAS:
            self.cases[(function, "eager")] = lambda w, *a: self.bound(w.formula(torch, torch.erf), a)
            if function != "mandelbrot":
                self.cases[(function, "compile")] = lambda w, *a: self.bound(
                    self.compiled(w.formula(torch, torch.erf)), a
                )
        self.cases[("copy", "eager")] = self.copy
        self.cases[("copy", "compile")] = lambda w, x: self.bound(self.compiled(lambda x: x.clone()), [x])
        self.cases[("mandelbrot", "compile")] = self.mandelbrot

    def versions(self):
        return f"{torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name(0)}"

    def start(self):
        x = torch.ones(1024, device="cuda")
        self.compiled(lambda x: x * 3 - 1)(x)
        self.wait()

    @staticmethod
    def compiled(f):
        torch._dynamo.reset()
        return torch.compile(f, dynamic=False)

    @staticmethod
    def bound(f, arrays):
        return lambda: f(*arrays)

    @staticmethod
    def copy(workload, x):
        y = torch.empty_like(x)
        return lambda: y.copy_(x)

    def mandelbrot(self, workload, cr, ci):
        """Ten calls of ten iterations: to compile a hundred unrolled ones takes most of a minute."""
        ten = self.compiled(lambda *state: workloads.mandelbrot_steps(10, *state))
        row, column = cr[None, :], ci[:, None]

        def call():
            zr = torch.zeros(workload.shape, device=cr.device)
            state = (zr, zr.clone(), zr.clone())
            for _ in range(10):
                state = ten(*state, row, column)
            return state[2]

        return call

    def random(self, shape, low, high, seed):
        torch.manual_seed(seed)
        return torch.empty(shape, device="cuda").uniform_(low, high)

    def line(self, count, low, high):
        return torch.linspace(low, high, count, device="cuda")

    def host(self, array, part):
        return array.reshape(-1)[part].cpu().numpy()

    def wait(self, result=None):
        torch.cuda.synchronize()

    def event(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed(self, begin, end):
        return begin.elapsed_time(end)

    def free(self):
        torch.cuda.empty_cache()


PEER = Torch
