#!/usr/bin/env python3
"""Writes library.h: what the layers, rates, losses and metrics of include/dtg give on small inputs, worked out by PyTorch in f64,
or here where PyTorch has no such thing (optimizers: optimizers.py). Run it after changing a case (needs torch). Every case is a program whose entry f has no inputs; the tensor x is what layouts cut."""
import math, torch
import torch.nn.functional as F
torch.set_default_dtype(torch.float64)

HEAD = '''import "nn"
import "optim"
import "metric"
fn v(dims, k) {
  n = 1
  for d in dims { n = n * d }
  return f32(reshape((iota([n]) * 7 + k * 3) % 11 - 4, dims)) / 2
}
fn first(k, shape = declared.shape) { return v(shape, k) }
'''
def v(dims, k):
    n = math.prod(dims)
    return torch.tensor([((i * 7 + k * 3) % 11 - 4) / 2 for i in range(n)]).reshape(dims)

cases = []
def case(name, text, *expected): cases.append((name, text, [(n, torch.as_tensor(t).double().flatten().tolist()) for n, t in expected]))

# -------- rates of learning
def rates(name, call, f): case(name, f'''rate = {call}
entry f() {{
  seen = []
  for i in 0..12 {{
    now = rate.now
    seen = seen + [now]
    rate.step()
  }}
  return r = stack(seen)
}}''', ("r", [f(t) for t in range(12)]))
rates("exponential", "exponential(0.5, 0.9)", lambda t: 0.5 * 0.9 ** t)
rates("stairs", "stairs(0.5, 0.1, every=3)", lambda t: 0.5 * 0.1 ** (t // 3))
rates("cosine", "cosine(2, total=10, warmup=4, floor=0.5)",
      lambda t: 2 * (t + 1) / 4 if t < 4 else 0.5 + 0.75 * (1 + math.cos(math.pi * min((t - 4) / 6, 1))))

# -------- clipping
a, b = v([3, 2], 1), v([4], 2)
k = 2 / math.sqrt((a * a).sum() + (b * b).sum())
case("clip_by_norm", '''entry f() {
  x = v([3, 2], 1)
  a, b = clip_by_norm([x, v([4], 2)], 2)
  return a, b
}''', ("a", a * k), ("b", b * k))

# -------- layers. Parameters are given values by w_init or set in the entry.
def layer(name, make, sets, shape, y, method=""):
    lines = "".join(f"  layer_.{p} <- v(shape(layer_.{p}), {k})\n" for p, k in sets)
    case(name, f'''layer_ = {make}
entry f() {{
{lines}  x = v({shape}, 5)
  return y = layer_{method}(x)
}}''', ("y", y))
x = v([2, 3, 4], 5)
layer("layer_norm", "layer_norm(4)", [("scale", 1), ("shift", 2)], [2, 3, 4], F.layer_norm(x, [4], v([4], 1), v([4], 2), 1e-5))
layer("rms_norm", "rms_norm(4)", [("scale", 1)], [2, 3, 4], F.rms_norm(x, [4], v([4], 1), 1e-6))
layer("prelu", "prelu(4)", [("a", 1)], [2, 3, 4], torch.where(x > 0, x, v([4], 1) * x))
layer("dense", "dense(4, 3, act=silu)", [("w", 1), ("b", 2)], [2, 3, 4], F.silu(x @ v([4, 3], 1) + v([3], 2)))
rows = x.reshape(6, 4)
layer("batch_norm", "batch_norm(4)", [("scale", 1), ("shift", 2)], [2, 3, 4],
      ((rows - rows.mean(0)) / torch.sqrt(rows.var(0, correction=0) + 1e-3) * v([4], 1) + v([4], 2)))
for dims in (1, 2, 3): # PyTorch's, of BatchNorm1d to 3d
    shape = [2] + [3, 2, 5][:dims] + [4]
    x = v(shape, 5)
    norm = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)[dims - 1](4, momentum=0.3, eps=0.01, affine=dims != 2)
    if dims != 2:
        norm.weight.data, norm.bias.data = v([4], 1), v([4], 2)
    trained = norm(x.movedim(-1, 1)).movedim(1, -1)
    norm.eval()
    sets = "" if dims == 2 else "  bn.scale <- v([4], 1)\n  bn.shift <- v([4], 2)\n"
    case(f"batch_norm in {dims} dims", f'''bn = batch_norm(4, momentum=0.3, eps=0.01, style="torch"{", affine=false" if dims == 2 else ""})
fixed = batch_norm(4, eps=0.01, affine=false, tracks=false)
many = sequential([fixed, bn])
entry f() {{
{sets}  x = v({shape}, 5)
  y = bn(x)
  m = bn.running_mean + 0
  s = bn.running_var + 0
  z = fixed.infer(x)
  return y, m, s, e = bn(x, train=false), both = many(z, train=false)
}}''', ("y", trained.detach()), ("m", norm.running_mean), ("s", norm.running_var), ("e", norm(x.movedim(-1, 1)).movedim(1, -1).detach()),
         ("both", norm(F.batch_norm(F.batch_norm(x.movedim(-1, 1), None, None, training=True, eps=0.01), None, None, training=True, eps=0.01)).movedim(1, -1).detach()))
x = v([2, 3, 5, 4], 5)
last = lambda t: t.movedim(1, -1)
first = lambda t: t.movedim(-1, 1)
layer("group_norm", "group_norm(4, 2)", [("scale", 1), ("shift", 2)], [2, 3, 5, 4], last(F.group_norm(first(x), 2, v([4], 1), v([4], 2), 1e-5)))
oihw = lambda t: t.permute(3, 2, 0, 1)
layer("conv_layer", "conv_layer(4, 6, [3, 3], act=relu)", [("w", 1), ("b", 2)], [2, 3, 5, 4],
      last(F.relu(F.conv2d(first(x), oihw(v([3, 3, 4, 6], 1)), v([6], 2), padding=1))))
layer("conv_layer depthwise", "conv_layer(4, 8, [3, 2], padding=\"valid\", groups=4)", [("w", 1), ("b", 2)], [2, 3, 5, 4],
      last(F.conv2d(first(x), oihw(v([3, 2, 1, 8], 1)), v([8], 2), groups=4)))
full = F.conv_transpose2d(first(x), v([3, 3, 6, 4], 1).permute(3, 2, 0, 1), v([6], 2), stride=2)
layer("conv_transpose_layer", "conv_transpose_layer(4, 6, [3, 3], stride=2)", [("w", 1), ("b", 2)], [2, 3, 5, 4], last(full[:, :, :6, :10]))
x = v([2, 5, 4], 5)
q, k, w = (torch.einsum("bsw,whe->bhse", x, v([4, 2, 2], i) / 4) for i in (1, 2, 3))
for causal in (False, True):
    y = F.scaled_dot_product_attention(q, k, w, is_causal=causal)
    y = torch.einsum("bhse,hew->bsw", y, v([2, 2, 4], 4))
    flag = str(causal).lower()
    case("self_attention causal=" + flag, f'''at = self_attention(4, 2, causal={flag})
entry f() {{
  at.q <- v([4, 2, 2], 1) / 4
  at.k <- v([4, 2, 2], 2) / 4
  at.v <- v([4, 2, 2], 3) / 4
  at.out <- v([2, 2, 4], 4)
  x = v([2, 5, 4], 5)
  return y = at(x)
}}''', ("y", y))

# -------- blocks, beside PyTorch's own
x = v([2, 3, 5, 4], 5)
layer("separable_conv_layer", 'separable_conv_layer(4, 3, [3, 3], act=relu, multiplier=2)', [("deep.w", 1), ("wide.w", 2), ("wide.b", 3)],
      [2, 3, 5, 4], last(F.relu(F.conv2d(F.conv2d(first(x), oihw(v([3, 3, 1, 8], 1)), padding=1, groups=4), oihw(v([1, 1, 8, 3], 2)), v([3], 3)))))
deep = F.relu(F.batch_norm(F.conv1d(first(x[:, 0]), v([3, 1, 4], 1).permute(2, 1, 0), padding=1, groups=4), None, None, v([4], 3), v([4], 4), True, 0.1, 1e-3))
wide = F.relu(F.batch_norm(F.conv1d(deep, v([1, 4, 3], 2).permute(2, 1, 0)), None, None, v([3], 5), v([3], 6), True, 0.1, 1e-3))
case("separable_conv_layer with norms", '''block = separable_conv_layer(4, 3, [3], act=relu, norm=batch_norm)
entry f() {
  block.deep.w <- v([3, 1, 4], 1)
  block.wide.w <- v([1, 4, 3], 2)
  block.deep_norm.scale <- v([4], 3)
  block.deep_norm.shift <- v([4], 4)
  block.wide_norm.scale <- v([3], 5)
  block.wide_norm.shift <- v([3], 6)
  x = v([2, 3, 5, 4], 5)
  return y = block(x[:, 0], train=true)
}''', ("y", last(wide)))
def attend(m, k): # gives PyTorch's attention of width 6 and 2 heads the values of ours
    q = [v([6, 2, 1, 3], k), v([6, 2, 3], k + 1), v([6, 2, 3], k + 2)]
    m.in_proj_weight.data = torch.cat([w.reshape(6, 6).T for w in q]) / 4
    m.in_proj_bias.data = torch.cat([v([6], k), v([6], k + 1), v([6], k + 2)])
    m.out_proj.weight.data, m.out_proj.bias.data = v([6, 6], k + 3).T / 4, v([6], k + 3)
def attended(path, k): return "".join(f"  {path}.{n} <- v(shape({path}.{n}), {k + i}) / 4\n  {path}.{n}_bias <- v(shape({path}.{n}_bias), {k + i})\n" for i, n in enumerate(("q", "k", "v", "out")))
for decoder in (False, True):
    for before in (False, True):
        make = torch.nn.TransformerDecoderLayer if decoder else torch.nn.TransformerEncoderLayer
        block = make(6, 2, 10, dropout=0, activation=F.gelu, batch_first=True, norm_first=before)
        attend(block.self_attn, 1)
        if decoder: attend(block.multihead_attn, 5)
        block.linear1.weight.data, block.linear1.bias.data = v([6, 10], 2).T / 4, v([10], 1)
        block.linear2.weight.data, block.linear2.bias.data = v([10, 6], 3).T / 4, v([6], 4)
        norms = [block.norm1, block.norm2, block.norm3] if decoder else [block.norm1, block.norm2]
        for i, n in enumerate(norms): n.weight.data, n.bias.data = v([6], i + 1), v([6], i + 6)
        x, mask = v([2, 4, 6], 5), (torch.arange(4)[:, None] + torch.arange(4)) % 3 == 1
        above = torch.triu(torch.ones(4, 4, dtype=bool), 1)
        if decoder: y = block(x, v([2, 4, 6], 9), tgt_mask=above, memory_mask=mask)
        else: y = block(x, src_mask=mask & ~torch.eye(4, dtype=bool))
        sets = attended("block.attend", 1) + (attended("block.cross", 5) if decoder else "")
        sets += "".join(f"  block.norms[{i}].scale <- v([6], {i + 1})\n  block.norms[{i}].shift <- v([6], {i + 6})\n" for i in range(len(norms)))
        looks = "(iota([4, 4]) + iota([4, 4], axis=1)) % 3 != 1"
        call = f"x, v([2, 4, 6], 9), context_mask={looks}" if decoder else f"x, mask={looks} or iota([4, 4]) == iota([4, 4], axis=1), train=false"
        name = "transformer_decoder_block" if decoder else "transformer_encoder_block"
        case(f"{name} norm_first={str(before).lower()}", f'''block = {name}(6, 2, 10, norm_first={str(before).lower()}{"" if decoder else ", rate=0.5"})
entry f() {{
{sets}  block.up.w <- v([6, 10], 2) / 4
  block.up.b <- v([10], 1)
  block.down.w <- v([10, 6], 3) / 4
  block.down.b <- v([6], 4)
  x = v([2, 4, 6], 5)
  return y = block({call})
}}''', ("y", y.detach()))

# -------- losses
p, t = v([6, 4], 1), v([6, 4], 2)
label = torch.tensor([i % 4 for i in range(6)])
ints = "iota([6]) % 4"
def loss(name, call, value): case(name, f'''entry f() {{
  x = v([6, 4], 1)
  t = v([6, 4], 2)
  return y = {call}
}}''', ("y", value))
loss("mse", "mse(x, t)", F.mse_loss(p, t))
loss("mae", "mae(x, t)", F.l1_loss(p, t))
loss("huber", "huber(x, t, delta=0.7)", F.huber_loss(p, t, delta=0.7))
loss("binary_cross_entropy", "binary_cross_entropy(x, sigmoid(t))", F.binary_cross_entropy_with_logits(p, torch.sigmoid(t)))
loss("sparse_cross_entropy", f"sparse_cross_entropy(x, {ints})", F.cross_entropy(p, label))
loss("cross_entropy", "cross_entropy(x, softmax(t))", F.cross_entropy(p, torch.softmax(t, -1)))
loss("kl_divergence", "kl_divergence(log_softmax(x), log_softmax(t))", F.kl_div(torch.log_softmax(t, -1), torch.log_softmax(p, -1), log_target=True, reduction="batchmean"))
loss("hinge", "hinge(x, sign(t + 0.25))", torch.clamp(1 - torch.sign(t + 0.25) * p, min=0).mean())
loss("poisson", "poisson(exp(x), abs(t))", F.poisson_nll_loss(p, t.abs(), log_input=True))
loss("log_cosh", "log_cosh(x, 40 * t)", torch.log(torch.cosh(p - 40 * t)).mean())
loss("cosine_similarity", "cosine_similarity(x, t)", F.cosine_similarity(p, t, dim=-1).mean())
for k in (1, 2, 3):
    loss(f"top_k_accuracy {k}", f"top_k_accuracy(x + 0.01 * f32(iota([6, 4], axis=1)), {ints}, k={k})",
         ((p + 0.01 * torch.arange(4.0)).topk(k).indices == label[:, None]).any(1).double().mean())

x = v([2, 300, 3], 1).requires_grad_() # unrolled, it would take minutes to compile
label = torch.tensor([[1, 2, 2, 1, 1], [2, 1, 0, 0, 0]])
y = F.ctc_loss(torch.log_softmax(x, -1).movedim(1, 0), label, torch.tensor([300, 37]), torch.tensor([5, 2]), reduction="none").mean()
slope, = torch.autograd.grad(y, x)
case("ctc of 300 steps", '''entry f() {
  x = v([2, 300, 3], 1)
  y = ctc(x, array([[1, 2, 2, 1, 1], [2, 1, 0, 0, 0]]), input_length=array([300, 37]), label_length=array([5, 2]))
  g = grad(y, x)
  return y, first = g[0, :150], second = g[1, :40]
}''', ("y", y.detach()), ("first", slope[0, :150]), ("second", slope[1, :40]))

# -------- metrics over two batches
def metric(name, make, x2, y2, update, results):
    lines = "".join(f"  {n} = m.{e}\n" for n, e, _ in results)
    case(name, f'''m = {make}
entry f() {{
  m.update(v([12], 1), iota([12]) % 2)
  m.reset()
  for k in 2..4 {{
    x = {x2}
    m.update({update})
  }}
{lines}  return {", ".join(n for n, _, _ in results)}
}}''', *[(n, t) for n, _, t in results])
raw = torch.cat([v([12], 2), v([12], 3)])
score = (raw + 2) / 5 # multiples of 0.1 in [0, 1]
truth = torch.cat([(torch.arange(12) * k) % 3 == 1 for k in (2, 3)]).double()
pairs = score[truth == 1][:, None] - score[truth == 0][None, :]
area = ((pairs > 1e-9).double() + 0.5 * (pairs.abs() < 1e-9).double()).mean()
# scores a little above their multiple, so that `above the threshold` does not hang on rounding
metric("auc", "auc(11)", "(v([12], k) + 2) / 5 + 0.01", None, "x, i32((iota([12]) * k) % 3 == 1)", [("area", "result()", area)])
yes, is_ = score > 0.5, truth == 1
tp, fp, tn, fn = ((yes & is_).sum(), (yes & ~is_).sum(), (~yes & ~is_).sum(), (~yes & is_).sum())
tp, fp, tn, fn = (float(z) for z in (tp, fp, tn, fn))
metric("binary_counts", "binary_counts()", "(v([12], k) + 2) / 5 - 0.01", None, "x, i32((iota([12]) * k) % 3 == 1)",
       [("acc", "accuracy()", (tp + tn) / 24), ("prec", "precision()", tp / (tp + fp)), ("rec", "recall()", tp / (tp + fn)),
        ("spec", "specificity()", tn / (tn + fp)), ("f", "f1()", 2 * tp / (2 * tp + fp + fn))])
metric("r2", "r2()", "v([12], k)", None, "x, f32((iota([12]) * k) % 3)",
       [("r", "result()", 1 - ((lambda t: ((t - raw) ** 2).sum() / ((t - t.mean()) ** 2).sum())(torch.cat([(torch.arange(12) * k) % 3 for k in (2, 3)]).double())))])
metric("running_mean", "running_mean()", "v([12], k)", None, "x, f32((iota([12]) * k) % 3)",
       [("r", "result()", (lambda t: (t * raw).sum() / t.sum())(torch.cat([(torch.arange(12) * k) % 3 for k in (2, 3)]).double()))])
pred = torch.cat([(torch.arange(12) * k) % 5 % 4 for k in (2, 3)])
lab = torch.cat([torch.arange(12) % 3 for k in (2, 3)])
C = torch.zeros(5, 5)
for i, j in zip(lab, pred): C[i, j] += 1
D, union = C.diag(), C.sum(0) + C.sum(1) - C.diag()
case("confusion", '''m = confusion(5)
entry f() {
  for k in 2..4 {
    x = (iota([12]) * k) % 5 % 4
    m.update(x, iota([12]) % 3)
  }
  return c = m.result(), a = m.accuracy(), p = m.precision(), r = m.recall(), i = m.mean_iou()
}''', ("c", C), ("a", D.sum() / 24), ("p", D / C.sum(0).clamp(min=1)), ("r", D / C.sum(1).clamp(min=1)), ("i", (D / union.clamp(min=1)).sum() / (union > 0).sum()))

# -------- first values: what must hold of the draws
case("identity_matrix", '''param w: f32[3, 4] = identity_matrix(2)
entry f() {
  x = w
  return y = x
}''', ("y", 2 * torch.eye(3, 4)))
case("spread of first values", '''param a: f32[100, 300] = truncated_normal(2)
param b: f32[100, 300] = variance_scaling(3, "out")
fn near(x, y) { return f32(abs(x - y) < 0.02 * y) }
entry f() {
  d = sqrt(mean(a * a))
  return within = f32(max(abs(a)) <= 4), at_the_end = f32(max(abs(a)) > 3.99), deviation = near(d, 2 * 0.87963), other = near(sqrt(mean(b * b)), 0.1)
}''', *[(n, 1) for n in ("within", "at_the_end", "deviation", "other")])
u = torch.tensor([-0.99, -0.9, -0.5, -0.1, 0, 0.3, 0.8, 0.999])
case("inverse_erf", '''entry f() {
  x = stack([-0.99, -0.9, -0.5, -0.1, 0, 0.3, 0.8, 0.999])
  return y = inverse_erf(f32(x))
}''', ("y", torch.erfinv(u)))

def lit(s): return "\n".join('     "' + l.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for l in s.strip().split("\n"))
with open("library.h", "w") as out:
    out.write("/* Made by library.py; do not edit. */\n")
    out.write(f"static const char *const head =\n{lit(HEAD)};\nstatic const struct test tests[] = {{\n")
    for name, text, expected in cases:
        rows = ",\n      ".join(f'{{"{n}", {len(d)}, (const double[]){{{", ".join(repr(round(z, 12) + 0.0) for z in d)}}}}}' for n, d in expected)
        out.write(f'    {{"{name}",\n{lit(text)},\n     {len(expected)},\n     {{{rows}}}}},\n')
    out.write("};\n")
print(len(cases), "cases")
