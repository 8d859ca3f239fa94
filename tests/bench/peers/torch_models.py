"""The models as PyTorch users write them, from parameters given by name."""
import torch
import torch.nn.functional as F


def attention_block(p, name, x, causal):
    b, n, width = x.shape
    q = lambda k: p[f"{name}.{k}"]  # noqa: E731
    h = F.layer_norm(x, (width,), q("norm1.scale"), q("norm1.shift"))
    heads = [(h @ q(f"attn.{i}").view(width, width)).view(b, n, -1, 64).transpose(1, 2) for i in "qkv"]
    a = F.scaled_dot_product_attention(*heads, is_causal=causal)
    x = x + a.transpose(1, 2).reshape(x.shape) @ q("attn.out").view(width, width)
    h = F.layer_norm(x, (width,), q("norm2.scale"), q("norm2.shift"))
    return x + F.gelu(h @ q("up.w") + q("up.b")) @ q("down.w") + q("down.b")


def gpt6(p, text, next):
    x = F.embedding(text, p["token.table"]) + p["place"]
    for i in range(6):
        x = attention_block(p, f"block[{i}]", x, True)
    x = F.layer_norm(x, (384,), p["norm.scale"], p["norm.shift"]) @ p["head"]
    return F.cross_entropy(x.view(-1, 256), next.view(-1))


def vit(p, x, label):
    x = x.view(-1, 7, 4, 7, 4).transpose(2, 3).reshape(-1, 49, 16)
    x = x @ p["patch.w"] + p["patch.b"] + p["place"]
    for i in range(6):
        x = attention_block(p, f"block[{i}]", x, False)
    x = F.layer_norm(x, (192,), p["norm.scale"], p["norm.shift"]).mean(1)
    return F.cross_entropy(x @ p["top.w"] + p["top.b"], label)


def batch_norm(p, name, x):
    return F.batch_norm(x, None, None, p[f"{name}.scale"], p[f"{name}.shift"], training=True, eps=1e-5)


def resnet(p, x, label):
    x = x.permute(0, 3, 1, 2)  # which leaves channels last in memory
    x = F.relu(batch_norm(p, "n", F.conv2d(x, p["w"], padding=1)))
    for i in range(9):
        u, stride = f"unit[{i}]", 2 if i in (3, 6) else 1
        y = F.relu(batch_norm(p, f"{u}.n1", F.conv2d(x, p[f"{u}.w1"], stride=stride, padding=1)))
        y = batch_norm(p, f"{u}.n2", F.conv2d(y, p[f"{u}.w2"], padding=1))
        if f"{u}.short[0].w" in p:
            x = F.conv2d(x, p[f"{u}.short[0].w"], stride=stride)
        x = F.relu(x + y)
    return F.cross_entropy(x.mean((2, 3)) @ p["top.w"] + p["top.b"], label)


def lstm(p, x, y):
    zero = torch.zeros(1, 32, 256)
    out, _, _ = torch.lstm(x, (zero, zero), [p["w"], p["u"], p["b"], torch.zeros(1024)], True, 1, 0.0, True, False, True)
    return F.mse_loss(out, y)


lstm512 = lstm


def gru(p, x, y):
    out, _ = torch.gru(x, torch.zeros(1, 32, 256), [p[k] for k in "wubc"], True, 1, 0.0, True, False, True)
    return F.mse_loss(out, y)


def dlrm(p, x, at, y, sparse=True):
    low = x
    for i in range(1, 4):
        low = F.relu(low @ p[f"low{i}.w"] + p[f"low{i}.b"])
    all = torch.stack([low] + [F.embedding(at[:, i], p[f"table[{i}].table"], sparse=sparse) for i in range(8)], 1)
    z = torch.cat([low, (all @ all.transpose(1, 2)).flatten(1)], 1)
    for i in range(1, 4):
        z = z @ p[f"top{i}.w"] + p[f"top{i}.b"]
        z = F.relu(z) if i < 3 else z[:, 0]
    return F.binary_cross_entropy_with_logits(z, y)


def dense3(p, x):
    x = F.relu(x @ p["d1.w"] + p["d1.b"])
    return F.relu(x @ p["d2.w"] + p["d2.b"]) @ p["d3.w"] + p["d3.b"]


def mlp(p, x, y):
    return F.mse_loss(dense3(p, x), y)


def mlp1(p, x):
    return dense3(p, x).max()


def chain(p, x):
    y = torch.softmax(torch.tanh(x * p["scale"] + p["shift"]) * 2, -1)
    y = y * torch.sigmoid(x) + p["shift"] * y
    return (y * y).mean() * 4096


def given(name, params):
    """The parameters as PyTorch has them best."""
    p = {k.removeprefix("model."): torch.from_numpy(v) for k, v in params.items()}
    if name == "resnet":
        p = {k: v.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last) if v.dim() == 4 else v
             for k, v in p.items()}
    if name in ("lstm", "lstm512", "gru"):
        p = {k: v.view(256, -1).t().contiguous() if k in "wu" else v.view(-1) for k, v in p.items()}
    return {k: torch.nn.Parameter(v) for k, v in p.items()}


def optimizer(name, params):
    if name in ("gpt6", "vit"):
        return torch.optim.AdamW(params, lr=3e-4, weight_decay=0.01, eps=1e-8, fused=True)
    rate = {"resnet": 1e-3, "lstm": 0.1, "lstm512": 0.1, "gru": 0.1, "mlp": 1e-3}.get(name, 1e-2)
    return torch.optim.SGD(params, lr=rate, momentum=0.9 if name == "resnet" else 0, fused=name != "dlrm")
