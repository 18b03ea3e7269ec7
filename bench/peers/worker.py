"""Runs the rows of one peer library in this process; appends a JSON line a row.

worker.py --peer NAME --size SIZE --lines FILE [--only A,B] [--skip CASE,CASE]
"""

import argparse
import gc
import importlib
import json
import time

import workloads
from peer import run_case

parser = argparse.ArgumentParser()
parser.add_argument("--peer", required=True)
parser.add_argument("--size", required=True)
parser.add_argument("--lines", required=True)
parser.add_argument("--only", default="")
parser.add_argument("--skip", default="")
flags = parser.parse_args()


def emit(**record):
    with open(flags.lines, "a") as file:
        file.write(json.dumps(record) + "\n")


begin = time.perf_counter()
peer = importlib.import_module("peer_" + flags.peer).PEER()
peer.start()
emit(kind="peer", library=peer.name, versions=peer.versions(), start_s=time.perf_counter() - begin)
skip = set(filter(None, flags.skip.split(",")))
for workload in workloads.load(flags.size, list(filter(None, flags.only.split(",")))):
    variants = [v for function, v in peer.cases if function == workload.function]
    variants = [v for v in variants if f"{workload.name}:{v}" not in skip]
    arrays = None
    for variant in variants:
        emit(kind="begin", case=f"{workload.name}:{variant}")
        try:
            arrays = arrays or peer.inputs(workload)
            record = run_case(peer, workload, variant, arrays)
        except Exception as failure:
            record = dict(
                workload=workload.name, variant=variant, failed=f"{type(failure).__name__}: {failure}"[:300]
            )
        emit(kind="row", library=peer.name, **record)
        gc.collect()
        peer.free()
    del arrays
    gc.collect()
    peer.free()
emit(kind="done")
