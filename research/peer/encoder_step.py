#!/usr/bin/env python3
"""Measures a training step of CNP, CQNP or ACQNP with attention or a transformer in PyTorch, in milliseconds.

    python3 research/peer/encoder_step.py --model acqnp --aggregation transformer --threads 2
    python3 research/peer/encoder_step.py --model cnp --aggregation attention --mode compile --tuned

The models are written to be fast in PyTorch: fused attention (scaled_dot_product_attention), queries that attend to the
context alone without a mask, one linear map for all heads, Adam's fused step. The adaptor is the residual one. The loss is
the mean over the target points, and no r is computed for other points. A step includes everything: drawing a batch of
Lissajous curves, the loss, its gradient and Adam. The modes:

    eager          float32
    compile        torch.compile, float32
    autotune       torch.compile that times several kernels first, float32
    bf16           automatic mixed precision: linear layers and attention in bfloat16
    compile-bf16   both

--split does what acqnp does with the first layer of decoder and adaptor: r, x and the level have products of their own,
so that r and x are multiplied once for each point. Otherwise they are tiled and concatenated, as the authors do.
The script prints one line of JSON. Rows are target points x levels, or target points for CNP. cpu_ms_median is the CPU time
of all threads. On a busy machine it is more reliable than ms_median with --threads 1; with more threads, it includes those
that wait in loops.
"""
import argparse
import contextlib
import json
import math
import os
import resource
import sys
import time

# The allocator keeps freed memory. Otherwise it returns it to the system and asks again, which costs page faults.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(2 ** 34), "MALLOC_MMAP_THRESHOLD_": str(2 ** 33), "MALLOC_TOP_PAD_": str(2 ** 28)}
if "--tuned" in sys.argv and "SPEED_TUNED" not in os.environ:  # malloc reads them at the start of a process
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP_MEMORY, "SPEED_TUNED": "1"})

import torch  # noqa: E402: it reads the settings
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402


def mlp(*sizes):
    layers = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def attend(heads, q, k, v):
    """Returns fused attention of q [B, n, d] over k and v [B, N_c, d]."""
    q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)


class Attention(nn.Module):
    """CANP's encoder: each point attends to the context."""

    def __init__(self, a):
        super().__init__()
        d, self.heads = a.width, a.heads
        self.values = mlp(2, *[d] * a.depth, d)
        self.queries, self.keys = mlp(1, d, d), mlp(1, d, d)
        self.q, self.k, self.v, self.out = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, xc, yc, x):
        values = self.values(torch.cat((xc, yc), -1))
        return self.out(attend(self.heads, self.q(self.queries(x)), self.k(self.keys(xc)), self.v(values)))


class Layer(nn.Module):
    """nn.TransformerEncoderLayer without dropout. The first `context` tokens are keys and values."""

    def __init__(self, a):
        super().__init__()
        d, self.heads = a.width, a.heads
        self.q, self.kv, self.out = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.inner = mlp(d, a.feedforward, d)

    def forward(self, tokens, context, first):
        """Returns the tokens from number first on."""
        k, v = self.kv(tokens[:, :context]).chunk(2, -1)
        tokens = tokens[:, first:]
        tokens = self.norm1(tokens + self.out(attend(self.heads, self.q(tokens), k, v)))
        return self.norm2(tokens + self.inner(tokens))


class Transformer(nn.Module):
    """Tokens of context points and of queries, one after the other; both attend to the context's."""

    def __init__(self, a):
        super().__init__()
        self.embedder = mlp(3, *[a.width] * a.depth, a.width)
        self.layers = nn.ModuleList(Layer(a) for _ in range(a.layers))

    def forward(self, xc, yc, x):
        context = xc.shape[1]
        known = torch.cat((xc, yc, torch.zeros_like(xc)), -1)
        asked = torch.cat((x, torch.zeros_like(x), torch.ones_like(x)), -1)
        tokens = self.embedder(torch.cat((known, asked), 1))
        for layer in self.layers[:-1]:
            tokens = layer(tokens, context, 0)
        return self.layers[-1](tokens, context, context)  # nothing reads the last layer's context


class Head(nn.Module):
    """An MLP of [r, x, levels...] for each row. r and x are [B, n, .], levels [B, n_tau, n, .]."""

    def __init__(self, a, levels, depth, out):
        super().__init__()
        self.split, self.sizes = a.split, [a.width, 1, levels]
        self.first, self.rest = nn.Linear(sum(self.sizes), a.width), mlp(*[a.width] * depth, out)

    def forward(self, r, x, levels=None):
        if levels is None:
            return self.rest(F.relu(self.first(torch.cat((r, x), -1))))
        if not self.split:
            rows = [t[:, None].expand(-1, levels.shape[1], -1, -1) for t in (r, x)]
            return self.rest(F.relu(self.first(torch.cat((*rows, levels), -1))))
        of_r, of_x, of_level = self.first.weight.split(self.sizes, 1)
        h = F.linear(r, of_r, self.first.bias) + F.linear(x, of_x)
        return self.rest(F.relu(h[:, None] + F.linear(levels, of_level)))


class Model(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.name, self.levels = a.model, a.n_tau
        self.encoder = {"attention": Attention, "transformer": Transformer}[a.aggregation](a)
        self.decoder = Head(a, {"cnp": 0, "cqnp": 1, "acqnp": 2}[a.model], a.depth, 2 if a.model == "cnp" else 3)
        if a.model == "acqnp":
            self.adaptor = Head(a, 1, a.adaptor_depth, 1)

    def forward(self, xc, yc, x, y):
        """Returns the loss of the target points x and y."""
        r = self.encoder(xc, yc, x)
        if self.name == "cnp":
            mu, s = self.decoder(r, x).float().chunk(2, -1)
            sigma = 0.1 + 0.9 * F.softplus(s)
            return (((y - mu) / sigma).square() / 2 + sigma.log() + math.log(2 * math.pi) / 2).sum(-1).mean()
        u = torch.rand(x.shape[0], self.levels, x.shape[1], 1, device=x.device)
        z = torch.logit(0.001 + 0.998 * u)
        if self.name == "acqnp":
            z = z + self.adaptor(r, x, u).float()
        tau = torch.sigmoid(z)
        levels = torch.cat((tau, u), -1) if self.name == "acqnp" else tau
        mu, s, a = self.decoder(r, x, levels).float().chunk(3, -1)
        sigma, e = 0.01 + 0.99 * F.softplus(s), y[:, None] - mu
        density = F.logsigmoid(z) + F.logsigmoid(-z) - sigma.log() - e * (tau - (e < 0).float()) / sigma
        return -torch.logsumexp(torch.log_softmax(a, 1) + density, 1).sum(-1).mean()


def curves(groups, points, device):
    """Returns x and y [groups, points, 1] of Lissajous curves."""
    def uniform(low, high, n=1):
        return low + (high - low) * torch.rand(groups, n, 1, device=device)

    s = uniform(-math.pi, math.pi, points)
    return uniform(1, 2) * torch.sin(uniform(0.5, 2) * s + uniform(0, 2)), uniform(1, 2) * torch.sin(s)


def measure(a, device):
    """Returns the wall-clock seconds and the CPU seconds of each step after the first a.warmup."""
    model = Model(a).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5, fused=True)
    loss_of, context = model, max(3, a.points // 2)
    if a.mode.startswith("compile") or a.mode == "autotune":
        loss_of = torch.compile(model, mode="max-autotune-no-cudagraphs" if a.mode == "autotune" else None)
    half = a.mode.endswith("bf16")
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    seconds, cpu = [], []
    for _ in range(a.warmup + a.steps):
        wait()
        start, worked = time.perf_counter(), time.process_time()
        x, y = curves(a.batch, a.points, device)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16) if half else contextlib.nullcontext():
            loss = loss_of(x[:, :context], y[:, :context], x[:, context:], y[:, context:])
        loss.backward()
        optimiser.step()
        wait()
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - worked)
    return seconds[a.warmup:], cpu[a.warmup:]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", choices=["cnp", "cqnp", "acqnp"], default="acqnp")
    p.add_argument("--aggregation", choices=["attention", "transformer"], default="transformer")
    p.add_argument("--mode", choices=["eager", "compile", "autotune", "bf16", "compile-bf16"], default="eager")
    p.add_argument("--split", action="store_true", help="multiply r and x once for each point")
    p.add_argument("--tuned", action="store_true", help="malloc keeps its memory")
    p.add_argument("--batch", type=int, default=128, help="groups")
    p.add_argument("--points", type=int, default=53, help="of a group, half of them context")
    p.add_argument("--n-tau", type=int, default=50, help="levels")
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--depth", type=int, default=3, help="hidden layers of encoder and decoder")
    p.add_argument("--adaptor-depth", type=int, default=5)
    p.add_argument("--heads", type=int, help="default: 8 of attention, 4 of a transformer")
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--feedforward", type=int, default=128)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--warmup", type=int, default=5, help="steps before those that count")
    a = p.parse_args()
    a.heads = a.heads or {"attention": 8, "transformer": 4}[a.aggregation]
    return a


def main():
    a = arguments()
    torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    seconds, cpu = measure(a, device)
    times = sorted(1e3 * s for s in seconds)
    targets = a.points - max(3, a.points // 2)
    rows = a.batch * targets * (1 if a.model == "cnp" else a.n_tau)
    if device == "cuda":
        name, peak = torch.cuda.get_device_name(), torch.cuda.max_memory_allocated() / 2 ** 20
    else:
        name, peak = "cpu", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2 ** 10
    print(json.dumps({"torch": torch.__version__, "device": name, "model": a.model, "aggregation": a.aggregation, "mode": a.mode,
                      "split": a.split, "tuned": a.tuned, "batch": a.batch, "points": a.points, "n_tau": a.n_tau, "width": a.width,
                      "ms_median": round(times[len(times) // 2], 3), "ms_min": round(times[0], 3), "ms_max": round(times[-1], 3),
                      "cpu_ms_median": round(1e3 * sorted(cpu)[len(cpu) // 2], 3),
                      "rows_per_s": round(rows * len(times) / sum(seconds)), "peak_mib": round(peak)}))


if __name__ == "__main__":
    main()
