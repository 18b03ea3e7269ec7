"""JAX: jax.jit. Timed by the host's clock over several calls, since its streams are its own."""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import numpy as np

import workloads
from peer import Peer


class Jax(Peer):
    name = "jax"
    clock = "host"

    def __init__(self):
        super().__init__()
        for function in workloads.FORMULAS:
            self.cases[(function, "jit")] = lambda w, *a: self.jit(w.formula(jnp, jax.scipy.special.erf), a)
        self.cases[("copy", "jit")] = lambda w, x: self.jit(jnp.copy, [x])
        self.cases[("mandelbrot", "jit")] = lambda w, *a: self.jit(mandelbrot, a)

    def versions(self):
        return f"{jax.__version__}, {jax.devices()[0].device_kind}"

    def start(self):
        jax.block_until_ready(jax.jit(lambda x: x * 3 - 1)(jnp.ones(1024)))

    @staticmethod
    def jit(f, arrays):
        compiled = jax.jit(f)
        return lambda: compiled(*arrays)

    def random(self, shape, low, high, seed):
        return jax.random.uniform(jax.random.key(seed), shape, jnp.float32, low, high)

    def line(self, count, low, high):
        return jnp.linspace(low, high, count, dtype=jnp.float32)

    def host(self, array, part):
        flat = jax.lax.dynamic_slice(array.reshape(-1), (part.start,), (part.stop - part.start,))
        return np.asarray(flat)

    def wait(self, result=None):
        jax.block_until_ready(jnp.zeros(()) if result is None else result)


def mandelbrot(cr, ci):
    zero = jnp.zeros((ci.shape[0], cr.shape[0]), jnp.float32)

    def step(_, state):
        return workloads.mandelbrot_steps(1, *state, cr[None, :], ci[:, None])

    return jax.lax.fori_loop(0, 100, step, (zero, zero, zero))[2]


PEER = Jax
