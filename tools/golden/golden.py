#!/usr/bin/python3
"""Reference results for internal/golden: CNP, CQNP and ACQNP in plain PyTorch tensors, float64.

    /usr/bin/python3 tools/golden/golden.py internal/golden/testdata

Everything is computed the long way round: a row per (function, level, point), tiled and concatenated, gradients by
autograd, steps by torch.optim.Adam. Inputs and weights are float32 values, so that float32 and float64 programs start
from the same numbers. One safetensors file per case; README.md lists its tensors.
"""
import json
import math
import os
import struct
import sys

import torch

STEPS = 10
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-3
# The least distance of any ReLU input, or y - mu, from its kink. Float32 rounding is some 1e-7 here: a float32 program
# then takes the same side everywhere, and its gradient may be compared with ours.
MARGIN = 2e-6


# ---- the method -----------------------------------------------------------------------------------------------------

class Kinks:
    """Collects how close the arguments of max(0, .) and |.| come to zero."""

    def __init__(self):
        self.least = math.inf

    def see(self, v):
        self.least = min(self.least, v.detach().abs().min().item())


def softplus(v):
    # F.softplus switches to the identity above 20 and is wrong by 2e-9 there.
    return torch.logaddexp(v, torch.zeros_like(v))


def mlp(weights, prefix, h, kinks):
    last = max(int(k.split(".")[-2]) for k in weights if k.startswith(prefix + "."))
    for i in range(0, last + 1, 2):
        h = h @ weights[f"{prefix}.{i}.weight"].T + weights[f"{prefix}.{i}.bias"]
        if i < last:
            kinks.see(h)
            h = h.clamp(min=0)
    return h


def forward(model, weights, batch, kinks):
    """Returns the log-likelihood [B, N], the decoder's output ([B, N, 2dy] or [B, N_tau, N, 3dy]) and the logit of
    tau [B, N_tau, N] (None for the CNP)."""
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    b, n, dx = x.shape
    dy = y.shape[-1]
    pairs = torch.cat([x[:, :nc], y[:, :nc]], dim=-1)
    r = mlp(weights, "_encoder._mlp._net", pairs, kinks).mean(dim=1)
    d = r.shape[-1]

    if model["name"] == "cnp":
        out = mlp(weights, "_decoder._mlp._net", torch.cat([r.view(b, 1, d).repeat(1, n, 1), x], dim=-1), kinks)
        mu, s = out[..., :dy], out[..., dy:]
        sigma = 0.1 + 0.9 * softplus(s)
        density = -((y - mu) / sigma).square() / 2 - sigma.log() - math.log(2 * math.pi) / 2
        return density.sum(dim=-1), out, None

    u = batch["u"]
    levels = u.shape[1]
    tiled_r = r.view(b, 1, 1, d).repeat(1, levels, n, 1)
    tiled_x = x.view(b, 1, n, dx).repeat(1, levels, 1, 1)
    if model["name"] == "acqnp":
        z = mlp(weights, "_adaptor._net", torch.cat([tiled_r, tiled_x, u.unsqueeze(-1)], dim=-1), kinks)
    else:
        z = torch.log((0.001 + 0.998 * u) / (0.001 + 0.998 * (1 - u))).unsqueeze(-1)
    tau = torch.sigmoid(z)
    out = mlp(weights, "_decoder._mlp._net", torch.cat([tiled_r, tiled_x, tau], dim=-1), kinks)
    mu, s, a = out[..., :dy], out[..., dy:2 * dy], out[..., 2 * dy:]
    sigma = 0.01 + 0.99 * softplus(s)
    e = y.view(b, 1, n, dy).repeat(1, levels, 1, 1) - mu
    kinks.see(e)
    rho = torch.where(e >= 0, torch.sigmoid(z) * e, -torch.sigmoid(-z) * e)
    log_al = -softplus(-z) - softplus(z) - sigma.log() - rho / sigma
    log_weight = a - torch.logsumexp(a, dim=1, keepdim=True)
    mixture = torch.logsumexp(log_weight + log_al, dim=1)  # over the levels: [B, N, dy]
    return mixture.sum(dim=-1), out, z.squeeze(-1)


def loss_of(loglik):
    return -loglik.mean(dim=1).mean()


# ---- the cases ------------------------------------------------------------------------------------------------------

def layers(model, dx, dy):
    """(prefix, sizes) of every MLP."""
    d, quantile = model["representation"], model["name"] != "cnp"
    yield "_encoder._mlp._net", [dx + dy, *model["encoder"], d]
    if model["name"] == "acqnp":
        yield "_adaptor._net", [d + dx + 1, *model["adaptor"], 1]
    yield "_decoder._mlp._net", [d + dx + quantile, *model["decoder"], (3 if quantile else 2) * dy]


def draw_weights(model, dx, dy, rng):
    """Weights wider than a layer's initial ones (which shrink what they pass on), so that every input is felt."""
    weights = {}
    for prefix, sizes in layers(model, dx, dy):
        for i, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
            weights[f"{prefix}.{2 * i}.weight"] = uniform(rng, (fan_out, fan_in), math.sqrt(3 / fan_in))
            weights[f"{prefix}.{2 * i}.bias"] = uniform(rng, (fan_out,), 1 / math.sqrt(fan_in))
    return weights


def uniform(rng, shape, bound):
    """U(-bound, bound), float32 values in float64."""
    v = (torch.rand(shape, generator=rng, dtype=torch.float32) * 2 - 1) * bound
    return v.double()


def draw_batch(model, extents, dx, dy, rng):
    b, n, nc, levels = extents
    batch = {"num_context": nc, "x": uniform(rng, (b, n, dx), 2), "y": uniform(rng, (b, n, dy), 1.5)}
    if model["name"] != "cnp":
        batch["u"] = torch.rand((b, levels, n), generator=rng, dtype=torch.float32).double()
    return batch


def saturate(weights, batch):
    """psi's logit from -30 to 30: the last layer stretched, its bias in the middle."""
    weight, bias = weights["_adaptor._net.6.weight"], weights["_adaptor._net.6.bias"]
    z = forward(SMALL["acqnp"], weights, batch, Kinks())[2]
    stretch, middle = 60 / (z.max() - z.min()), (z.max() + z.min()) / 2
    weight.copy_((weight * stretch).float())
    bias.copy_(((bias - middle) * stretch).float())


def floor_sigma(weights, batch):
    """sigma at and just above 0.01 (the three channels' s around -20, -8 and -4)."""
    weights["_decoder._mlp._net.4.bias"][3:6] += torch.tensor([-20.0, -8.0, -4.0])


def end_levels(weights, batch):
    """The least and the greatest level that a 24-bit draw or a grid gives."""
    batch["u"][0, :, 0] = 0
    batch["u"][0, :, 1] = 1 - 2.0 ** -24
    batch["u"][1, :, 0] = 1


SMALL = {name: {"name": name, "representation": 5, "encoder": [7, 6],
                **({"adaptor": [9, 4, 5]} if name == "acqnp" else {}), "decoder": [8, 7]}
         for name in ("cnp", "cqnp", "acqnp")}

# name, model, (dx, dy), (B, N, N_c, N_tau), what is done to weights and batch
CASES = [(f"{name}-x{dx}-y{dy}", name, (dx, dy), extents, None)
         for name in ("cnp", "cqnp", "acqnp")
         for (dx, dy), extents in {(1, 1): (3, 6, 4, 5), (2, 1): (2, 7, 3, 3), (2, 3): (2, 6, 4, 5), (1, 3): (3, 7, 3, 1)}.items()]
CASES += [("acqnp-saturated", "acqnp", (1, 1), (3, 7, 4, 5), saturate),
          ("cqnp-floor", "cqnp", (2, 3), (2, 7, 4, 3), floor_sigma),
          ("cqnp-ends", "cqnp", (1, 1), (2, 6, 3, 1), end_levels)]


def run_case(number, name, model, dims, extents, change):
    """The tensors and the metadata of one case. Draws again where a kink is too close to call in float32."""
    for attempt in range(100):
        rng = torch.Generator().manual_seed(1000 * (number + 1) + attempt)
        weights = draw_weights(model, *dims, rng)
        batch = draw_batch(model, extents, *dims, rng)
        if change:
            change(weights, batch)
        steps = []
        for _ in range(STEPS):
            sizes = [lo + int(torch.randint(0, (hi - lo) // by + 1, (1,), generator=rng)) * by
                     for lo, hi, by in ((2, 3, 1), (6, 7, 1), (3, 4, 1), (1, 5, 2))]
            steps.append(draw_batch(model, sizes, *dims, rng))

        kinks = Kinks()
        given = {k: v.clone() for k, v in weights.items()}
        for v in weights.values():
            v.requires_grad_(True)
        loglik, components, logit = forward(model, weights, batch, kinks)
        loss = loss_of(loglik)
        grads = dict(zip(weights, torch.autograd.grad(loss, list(weights.values()))))
        optimiser = torch.optim.Adam(weights.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY, foreach=False)
        losses = []
        for step in steps:
            optimiser.zero_grad()
            cost = loss_of(forward(model, weights, step, kinks)[0])
            cost.backward()
            optimiser.step()
            losses.append(cost.item())
        if kinks.least >= MARGIN and all(felt(k, g, extents) for k, g in grads.items()):
            break
    else:
        raise SystemExit(f"{name}: no draw keeps its distance from every kink")

    tensors = {k: batch[k] for k in ("x", "y", "u") if k in batch}
    tensors |= {f"w.{k}": v for k, v in given.items()}
    tensors |= {"loglik": loglik, "loss": loss, "components": components}
    if logit is not None:
        tensors["logit"] = logit
    tensors |= {f"g.{k}": v for k, v in grads.items()}
    tensors["losses"] = torch.tensor(losses)
    for i, step in enumerate(steps):
        tensors |= {f"step.{i}.{k}": step[k] for k in ("x", "y", "u") if k in step}
    metadata = {"model": json.dumps(model), "dx": str(dims[0]), "dy": str(dims[1]),
                "num_context": str(batch["num_context"]),
                "step.num_context": json.dumps([s["num_context"] for s in steps]),
                "learning_rate": str(LEARNING_RATE), "weight_decay": str(WEIGHT_DECAY)}
    report(name, attempt, kinks, loglik, logit, losses)
    return tensors, metadata


def felt(name, grad, extents):
    """Whether most of the gradient is there to compare: a network of dead units would prove nothing."""
    return (grad.abs() > 1e-6).double().mean().item() >= (0.5 if extents[-1] > 1 else 0.3)


def report(name, attempt, kinks, loglik, logit, losses):
    z = "" if logit is None else f"  z {logit.min():.1f}..{logit.max():.1f}"
    print(f"{name:16} draw {attempt}  nearest kink {kinks.least:.1e}  "
          f"loglik {loglik.min():.2f}..{loglik.max():.2f}  losses {losses[0]:.4f}..{losses[-1]:.4f}{z}")


# ---- safetensors ----------------------------------------------------------------------------------------------------

def save(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().double().contiguous().numpy().astype("<f8").tobytes()
        header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: golden.py OUT_DIR")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    for number, (name, model, dims, extents, change) in enumerate(CASES):
        save(os.path.join(sys.argv[1], name + ".safetensors"), *run_case(number, name, SMALL[model], dims, extents, change))


if __name__ == "__main__":
    main()
