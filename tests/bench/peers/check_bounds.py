"""bounds.py, of a trace that is known: two devices, two calls each of 10 us."""
import sys

import bounds


def span(device, cat, name, dur, flops=0, moved=0, waiting=0):
    args = {"waiting": waiting} if cat in ("call", "host") else {"waiting": waiting, "flops": flops, "bytes": moved}
    return {"ph": "X", "tid": device, "cat": cat, "name": name, "dur": dur, "args": args}


trace = [{"ph": "M", "name": "process_name"}]
for device in range(2):
    for _ in range(2):
        trace += [span(device, "call", "train", 10), span(device, "product", "y = x @ w", 5, 200000, 1000),
                  span(device, "loop", "z = exp(y)", 2, 0, 20000), span(device, "exchange", "all-reduce", 2, 0, 4000, 1),
                  span(device, "host", "inputs", 1)]
failed = 0
for devices, cores, want in (
        # Two devices at once: 4 products in 20 us are 40 GFLOP/s, and 4 * 25000 bytes 5 GB/s.
        (2, 2, "m, 2 on 2: 40 % of FMA peak (100 GFLOP/s), 50 % of memory bandwidth (10 GB/s); products 50 % of the time at 80 % of "
         "peak; loops 20 % of the time at 200 % of bandwidth; exchanges 20 % of the time; waiting 10 %, between steps 10 %; most in "
         "y = x @ w 50 %, z = exp(y) 20 %, all-reduce 20 %"),
        # By turns on one core, each product has it for itself.
        (2, 1, "m, 2 on 1: 40 % of FMA peak (100 GFLOP/s), 50 % of memory bandwidth (10 GB/s); products 50 % of the time at 40 % of "
         "peak; loops 20 % of the time at 100 % of bandwidth; exchanges 20 % of the time; waiting 10 %, between steps 10 %; most in "
         "y = x @ w 50 %, z = exp(y) 20 %, all-reduce 20 %")):
    got = bounds.line("m", devices, cores, bounds.spent(trace), 100, 10)
    if got != want:
        print(f"FAIL {devices} devices on {cores}:\n  {got}\nexpected\n  {want}")
        failed = 1
sys.exit(failed)
