"""From a fresh process to the first result on the host: fresh.py LIBRARY.VARIANT. Prints a JSON line."""

import json
import sys
import time

import numpy as np

import workloads

library, variant = sys.argv[1].split(".")
x = np.full(1 << 20, 0.5, np.float32)
if library == "torch":
    import torch

    torch.set_grad_enabled(False)
    call = lambda x: workloads.chain(torch, None, x)
    if variant == "compile":
        call = torch.compile(call)
    result = call(torch.from_numpy(x).cuda()).cpu().numpy()
elif library == "cupy":
    import cupy as cp

    def chain(x):
        return workloads.chain(cp, None, x)

    if variant == "fuse":
        result = cp.asnumpy(cp.fuse(chain)(cp.asarray(x)))
    else:
        import peer_cupy

        kernel = cp.ElementwiseKernel("float32 x", "float32 y", peer_cupy.BODIES["chain"], "chain")
        result = cp.asnumpy(kernel(cp.asarray(x)))
elif library == "jax":
    import jax
    import jax.numpy as jnp

    result = np.asarray(jax.jit(lambda x: workloads.chain(jnp, None, x))(jnp.asarray(x)))
elif library == "numba":
    import peer_numba

    y = peer_numba.cuda.device_array(x.shape, np.float32)
    peer_numba.cuda.jit(peer_numba.chain)[x.size // 256, 256](peer_numba.cuda.to_device(x), y)
    result = y.copy_to_host()
else:
    result = workloads.chain(np, None, x)
print(json.dumps(dict(at=time.time(), value=float(result[0]))), flush=True)
