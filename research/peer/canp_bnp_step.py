#!/usr/bin/env python3
"""Measures a training step of CANP or BNP in PyTorch, in milliseconds. torch_step.py does so for the other models.

    python3 research/peer/canp_bnp_step.py --model canp --points 53 --threads 2
    python3 research/peer/canp_bnp_step.py --model bnp --points vary --steps 50 --tuned

The models are written as their authors write them: modules, a loop over heads with 1x1 convolutions, bootstraps stacked
in front of the batch, everything tiled. A step includes everything: drawing a batch of Lissajous curves, the loss, its gradient
and Adam. It runs on a GPU if there is one. The modes are float32 (eager), automatic mixed precision in bfloat16 (amp), and
both through torch.compile (compile, amp-compile). The widths are the paper's. It prints one line of JSON. Rows are
batch x points, for BNP times its bootstraps. Check its "blas": Debian's reference library libblas3 multiplies matrices
several times slower than libopenblas0, and more so with --tuned.
"""
import argparse
import json
import math
import os
import random
import resource
import sys
import time

# The allocator keeps freed memory. Otherwise it returns it to the system and asks again, which costs page faults.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(2 ** 34), "MALLOC_MMAP_THRESHOLD_": str(2 ** 33), "MALLOC_TOP_PAD_": str(2 ** 28)}


def restart_tuned():
    """Restarts this program with settings that malloc and OpenBLAS read only at the start of a process."""
    settings = dict(KEEP_MEMORY)
    with open("/proc/cpuinfo") as f:
        if " avx512f" in f.read():
            settings["OPENBLAS_CORETYPE"] = "SkylakeX"
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **settings, "SPEED_TUNED": "1"})


if "--tuned" in sys.argv and "SPEED_TUNED" not in os.environ:
    restart_tuned()

import torch  # noqa: E402: it reads the settings
from torch import nn  # noqa: E402
from torch.distributions import Normal  # noqa: E402
from torch.nn.functional import softplus  # noqa: E402

WIDTH, HEADS, BOOTSTRAPS = 128, 8, 4
PRE_DEPTH, POST_DEPTH, DECODER_DEPTH = 5, 3, 5


def mlp(*sizes):
    layers = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        layers += [nn.Linear(fan_in, fan_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def normal(out):
    mu, s = out.chunk(2, dim=-1)
    return Normal(mu, 0.1 + 0.9 * softplus(s))


class HeadAttention(nn.Module):
    """Attention of HEADS heads, each with its own linear maps and an output of full width; the outputs are added."""

    def __init__(self):
        super().__init__()
        part = WIDTH // HEADS

        def maps(fan_in, fan_out):
            return nn.ModuleList(nn.Conv1d(fan_in, fan_out, 1, bias=False) for _ in range(HEADS))

        self.query, self.key, self.value, self.output = *(maps(WIDTH, part) for _ in range(3)), maps(part, WIDTH)

    def forward(self, query, key, value):
        q, k, v = (t.transpose(1, 2) for t in (query, key, value))  # channels second, as convolutions want them
        total = 0
        for to_q, to_k, to_v, out in zip(self.query, self.key, self.value, self.output):
            qh, kh, vh = to_q(q), to_k(k), to_v(v)
            weights = torch.softmax(torch.bmm(qh.transpose(1, 2), kh) / math.sqrt(qh.shape[1]), dim=-1)
            total = total + out(torch.bmm(vh, weights.transpose(1, 2)))
        return total.transpose(1, 2)


class CANP(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = mlp(2, WIDTH, WIDTH, WIDTH, WIDTH)
        self.queries, self.keys = mlp(1, WIDTH, WIDTH), mlp(1, WIDTH, WIDTH)
        self.attention = HeadAttention()
        self.decoder = mlp(WIDTH + 1, WIDTH, WIDTH, WIDTH, 2)

    def loss(self, x, y, context):
        xc, yc = x[:, :context], y[:, :context]
        r = self.attention(self.queries(x), self.keys(xc), self.encoder(torch.cat((xc, yc), dim=-1)))
        return -normal(self.decoder(torch.cat((r, x), dim=-1))).log_prob(y).sum(dim=-1).mean()


class PoolingEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = mlp(2, *[WIDTH] * PRE_DEPTH), mlp(*[WIDTH] * (POST_DEPTH + 1))

    def forward(self, x, y):
        return self.after(self.before(torch.cat((x, y), dim=-1)).mean(dim=-2))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2 * WIDTH + 1, WIDTH)
        self.of_bootstrap = nn.Linear(2 * WIDTH, WIDTH, bias=False)
        self.rest = nn.Sequential(nn.ReLU(), *mlp(*[WIDTH] * (DECODER_DEPTH - 1), 2))

    def forward(self, encoded, x, bootstrap=None):
        def tiled(e):
            return torch.stack([e] * x.shape[-2], dim=-2)

        h = self.first(torch.cat((tiled(encoded), x), dim=-1))
        if bootstrap is not None:
            h = h + self.of_bootstrap(tiled(bootstrap))
        return normal(self.rest(h))


class BNP(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoders = nn.ModuleList([PoolingEncoder(), PoolingEncoder()])
        self.decoder = Decoder()

    def encode(self, x, y):
        return torch.cat([encoder(x, y) for encoder in self.encoders], dim=-1)

    def loss(self, x, y, context):
        def stack(v):
            return torch.stack([v] * BOOTSTRAPS)

        def drawn(*values):  # points with replacement, the same for all values
            index = torch.randint(context, values[0].shape[:-1], device=x.device).unsqueeze(-1)
            return [torch.gather(v, -2, index.expand_as(v)) for v in values]

        xc, yc = x[:, :context], y[:, :context]
        xs, ys = stack(xc), stack(yc)
        with torch.no_grad():
            p = self.decoder(self.encode(*drawn(xs, ys)), xs)
            residual, = drawn((ys - p.mean) / p.stddev)
            again = p.mean + p.stddev * (residual - residual.mean(dim=-2, keepdim=True))
        base = self.encode(xc, yc)
        plain = self.decoder(base, x).log_prob(y).sum(dim=-1)
        each = self.decoder(stack(base), stack(x), self.encode(xs, again)).log_prob(stack(y)).sum(dim=-1)
        return -plain.mean() - (torch.logsumexp(each, dim=0) - math.log(BOOTSTRAPS)).mean()


def curves(groups, points, device):
    """Returns x and y [groups, points, 1] of Lissajous curves."""
    def uniform(low, high, n=1):
        return low + (high - low) * torch.rand(groups, n, 1, device=device)

    s = uniform(-math.pi, math.pi, points)
    return uniform(1, 2) * torch.sin(uniform(0.5, 2) * s + uniform(0, 2)), uniform(1, 2) * torch.sin(s)


def measure(model, sizes, a, device):
    """Returns the wall-clock seconds and the CPU seconds of a step for each number of points."""
    loss_of = torch.compile(model.loss, dynamic=a.points == "vary") if a.mode.endswith("compile") else model.loss
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-4)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    seconds, cpu = [], []
    for points in sizes:
        wait()
        start, worked = time.perf_counter(), time.process_time()
        x, y = curves(a.batch, points, device)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=a.mode.startswith("amp")):
            loss = loss_of(x, y, max(3, points // 2))
        loss.backward()
        optimiser.step()
        wait()
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - worked)
    return seconds[a.warmup:], cpu[a.warmup:]


def blas():
    """Returns the names of the BLAS libraries that this process has loaded."""
    with open("/proc/self/maps") as f:
        names = {os.path.basename(os.path.realpath(line.split()[-1])) for line in f if ".so" in line}
    return sorted(name for name in names if "blas" in name or name.startswith("libmkl"))


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", choices=["canp", "bnp"], default="canp")
    p.add_argument("--mode", choices=["eager", "amp", "compile", "amp-compile"], default="eager")
    p.add_argument("--points", default="53", help="of a group, half of them context; vary: 6 to 100, drawn each step")
    p.add_argument("--batch", type=int, default=128, help="groups")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--steps", type=int, default=30)
    p.add_argument("--warmup", type=int, default=10, help="steps before those that count")
    p.add_argument("--tuned", action="store_true", help="malloc keeps its memory; OpenBLAS uses AVX-512 if the processor has it")
    p.add_argument("--no-onednn", action="store_true", help="CPU: PyTorch does not use oneDNN, its library for bfloat16")
    return p.parse_args()


def main():
    a = arguments()
    torch.set_num_threads(a.threads)
    if a.no_onednn:
        torch.backends.mkldnn.set_flags(False)
    torch.manual_seed(0)
    random.seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = {"canp": CANP, "bnp": BNP}[a.model]().to(device)
    sizes = [random.randint(6, 100) if a.points == "vary" else int(a.points) for _ in range(a.warmup + a.steps)]
    seconds, cpu = measure(model, sizes, a, device)
    bootstraps = BOOTSTRAPS if a.model == "bnp" else None
    rows = a.batch * sum(sizes[a.warmup:]) * (bootstraps or 1)
    if device == "cuda":
        name, peak = torch.cuda.get_device_name(), torch.cuda.max_memory_allocated() / 2 ** 20
    else:
        name, peak = "cpu", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2 ** 10
    times = sorted(1e3 * s for s in seconds)
    print(json.dumps({"torch": torch.__version__, "device": name, "model": a.model, "mode": a.mode, "tuned": a.tuned, "blas": blas(),
                      "batch": a.batch, "points": a.points, "n_tau": None, "bootstraps": bootstraps,
                      "ms_median": round(times[len(times) // 2], 3), "ms_min": round(times[0], 3),
                      "ms_max": round(times[-1], 3), "cpu_ms_median": round(1e3 * sorted(cpu)[len(cpu) // 2], 3),
                      "rows_per_s": round(rows / sum(seconds)), "peak_mib": round(peak)}))


if __name__ == "__main__":
    main()
