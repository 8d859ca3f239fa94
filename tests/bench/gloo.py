"""gloo.py RANK RANKS ROUNDS [BYTES...]: torch's all_reduce by gloo between hosts (tests/bench/hosts)."""
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

rank, ranks, rounds = (int(x) for x in sys.argv[1:4])
sizes = [int(x) for x in sys.argv[4:]] or [8, 4096, 65536, 1 << 20, 10 << 20, 100 << 20]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="tcp://10.77.7.1:29511", rank=rank, world_size=ranks, timeout=timedelta(seconds=300))
for size in sizes:
    x, times = torch.zeros(size // 4), []
    for i in range(rounds + 1):
        dist.barrier()
        start = time.perf_counter()
        dist.all_reduce(x)
        times.append(time.perf_counter() - start)
    times = sorted(times[1:])
    if rank == 0:
        print(f"{size:10d} B  gloo {times[0] * 1e3:10.3f} {times[len(times) // 2] * 1e3:10.3f} ms", flush=True)
dist.destroy_process_group()
