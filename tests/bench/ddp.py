"""ddp.py RANK RANKS STEPS BLOCKS WIDTH BATCH TEXT LOG BACKEND: the GPT of samples/transformer in torch, data-parallel (hosts_train)."""
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy, gelu, scaled_dot_product_attention

rank, ranks, steps, blocks, width, batch = (int(x) for x in sys.argv[1:7])
text, log, backend = sys.argv[7:10]
seq, vocab, heads = 64, 128, width // 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n = x.shape[0]
        q, k, v = (t.view(n, seq, heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        a = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(n, seq, width))
        return x + self.down(gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.place = nn.Parameter(torch.randn(seq, width) * 0.02)
        self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.token(x) + self.place)))


torch.set_num_threads(1)
torch.manual_seed(0)
dist.init_process_group(backend, init_method="tcp://10.77.7.1:29512", rank=rank, world_size=ranks, timeout=timedelta(seconds=300))
model = nn.parallel.DistributedDataParallel(Gpt())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
data = torch.frombuffer(bytearray(open(text, "rb").read()), dtype=torch.uint8).view(-1, seq + 1).long()
with open(log, "w") as out:
    out.write("step,seconds\n")
    for step in range(steps):
        at = (step * ranks + rank) * batch
        rows = data[at : at + batch]
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        cross_entropy(model(rows[:, :seq]).reshape(-1, vocab), rows[:, 1:].reshape(-1)).backward()
        optimizer.step()
        out.write(f"{step},{time.perf_counter() - start}\n")
dist.destroy_process_group()
