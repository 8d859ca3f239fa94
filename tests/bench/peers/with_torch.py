"""PyTorch's DTensor: a process a device over gloo, the batch sharded, parameters replicated.

The first process reads commands from its standard input and broadcasts them to the others.
"""
import os
import socket
import subprocess
import sys
from functools import partial

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import local_map

import models
import worker

name, file, devices, cores, _ = worker.arguments()
rank = int(os.environ.get("RANK", 0))
if rank == 0:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(devices),
                   "RANK": "0"}
    others = [subprocess.Popen([sys.executable] + sys.argv, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, env=os.environ | {"RANK": str(r)})
              for r in range(1, devices)]
torch.set_num_threads(max(1, cores // devices))
dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (devices,), mesh_dim_names=("batch",))
params, data = models.load(file)
p = {k.removeprefix("model."): torch.nn.Parameter(
    distribute_tensor(torch.from_numpy(v), mesh, [Replicate()])) for k, v in params.items()}


def cut(value):
    n = len(value) // devices
    return DTensor.from_local(torch.from_numpy(value[rank * n:(rank + 1) * n]), mesh, [Shard(0)],
                              run_check=False)


def mnist(x, label):
    h = torch.relu(x @ p["d1.w"] + p["d1.b"])
    h = torch.relu(h @ p["d2.w"] + p["d2.b"])
    return F.cross_entropy(h @ p["d3.w"] + p["d3.b"], label.long())


def imdb(x, label):
    h = torch.relu(x @ p["d1.w"] + p["d1.b"])
    h = h - h.mean(dim=0)
    h = h * torch.rsqrt((h * h).mean(dim=0) + 1e-5)
    return F.cross_entropy(h @ p["d2.w"] + p["d2.b"], label.long(), reduction="sum")


def heads(x, w):
    return (x @ w.view(256, 256)).view(x.shape[0], 256, 8, 32).transpose(1, 2)


# The fused kernel for CPUs has no rule in DTensor; each device's part of the batch is its own, so it runs on that.
attention = local_map(partial(F.scaled_dot_product_attention, is_causal=True),
                      out_placements=[Shard(0)], in_placements=([Shard(0)],) * 3)


def gpt(x):
    n = F.layer_norm(x, (256,), p["norm1.scale"], p["norm1.shift"])
    q, k, v = (heads(n, p[f"attn.{i}"]) for i in "qkv")
    a = attention(q, k, v)
    x = x + a.transpose(1, 2).reshape(x.shape) @ p["attn.out"].view(256, 256)
    n = F.layer_norm(x, (256,), p["norm2.scale"], p["norm2.shift"])
    y = x + F.gelu(n @ p["up.w"] + p["up.b"]) @ p["down.w"] + p["down.b"]
    return (y * y).mean()


model = {"mnist": mnist, "imdb": imdb, "gpt": gpt}[name]
# Every device holds all of each parameter, so each updates its own copy, from gradients that are added up over the devices.
local = [v.to_local().detach() for v in p.values()]
if name == "mnist":
    optimizer = torch.optim.Adam(local, lr=1e-3, eps=1e-7, fused=True)
else:
    optimizer = torch.optim.SGD(local, lr=1e-3 if name == "imdb" else 1e-2, fused=True)


def step(one):
    loss = model(*(cut(value) for value in one.values()))
    grads = torch.autograd.grad(loss, list(p.values()))
    for mine, g in zip(local, grads):
        mine.grad = g.redistribute(mesh, [Replicate()]).to_local()
    optimizer.step()
    return float(loss.detach().full_tensor())


if rank == 0:
    worker.serve(f"PyTorch {torch.__version__.split('+')[0]}", step, data,
                 tell=lambda n: dist.broadcast(torch.tensor([n]), 0))
    dist.broadcast(torch.tensor([0]), 0)
    for other in others:
        other.wait()
else:
    at, steps = 0, torch.ones(1, dtype=torch.int64)
    while dist.broadcast(steps, 0) or steps[0]:
        for _ in range(int(steps[0])):
            step(data[at % models.BATCHES])
            at += 1
dist.destroy_process_group()
