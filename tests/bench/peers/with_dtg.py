"""dtg, through libdtgc.so and the binding of samples/embed: the batch split over the devices, no other annotations.
One device has all cores."""
import ctypes
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import bounds
import models
import worker

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[2] / "samples" / "embed"))
import numpy_ctypes as dtg  # noqa: E402

name, file, devices, cores, precision = worker.arguments()
params, data = models.load(file)
lib = dtg.open_library(os.environ["DTG_PEERS_LIBRARY"])
layouts = [f"{k}=[batch, ...]" for k in data[0]] if devices > 1 else []
p = dtg.Program(lib, {str(here / f"{name}.dtg"): None}, mesh=f"batch={devices}", layouts=layouts,
                precision=None if precision == "f32" else precision)
for path, value in params.items():
    p.set(path, value)
loss = np.zeros((), np.float32)
out = p._buffers({"loss": loss})
buffers = {id(one): p._buffers(one) for one in data}


def step(one):
    p._check(lib.dtgc_run(p.p, b"train", buffers[id(one)], len(one), out, 1))
    return float(loss)


def profile(steps):
    p._check(lib.dtgc_profile_start(p.p))
    steps()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        p._check(lib.dtgc_profile_save(p.p, trace.encode()))
        with open(trace) as f:
            return json.dumps(bounds.spent(json.load(f)["traceEvents"]))


worker.serve(lib.dtgc_version().decode(), step, data, profile=profile)
