"""Draws random weights and batches: float32 values in float64 tensors."""
import math

import torch

from package import encoders, method
from shapes import shapes


def uniform(rng, shape, bound):
    """Draws from U(-bound, bound), rounded to float32."""
    v = (torch.rand(shape, generator=rng, dtype=torch.float32) * 2 - 1) * bound
    return v.double()


def draw_weights(model, dx, dy, rng, gain=3):
    """Draws weights larger than a layer's initial ones (gain 1, which shrink the signal from layer to layer), so that
    every input affects the result. With gain 6, layers with ReLUs would keep the signal's size."""
    return {name: draw_weight(name, shape, fan_in, rng, gain) for name, shape, fan_in in shapes(model, dx, dy)}


def draw_weight(name, shape, fan_in, rng, gain):
    if ".norm" in name:  # around PyTorch's initial 1 and 0
        return (uniform(rng, shape, 0.5) + (1 if name.endswith(".weight") else 0)).float().double()
    return uniform(rng, shape, math.sqrt((1 if name.endswith("bias") else gain) / fan_in))


def draw_batch(model, extents, dx, dy, rng):
    """Draws a batch; extents are (B, N, N_c, N_tau or k)."""
    b, n, nc, levels = extents
    batch = {"num_context": nc, "x": uniform(rng, (b, n, dx), 2), "y": uniform(rng, (b, n, dy), 1.5)}
    if method.has_levels(model):
        batch["u"] = draw_levels(b, levels, n, rng)
    if model["name"] == "bnp":
        batch["resample"] = draw_resample(levels, b, nc, rng)
    if encoders.aggregation(model) == "groups":
        batch["ranges"] = torch.stack([draw_ranges(n, nc, rng) for _ in range(b)])
    return batch


def draw_ranges(n, nc, rng):
    """Draws groups: the context points [from, to) of each point's own group, and of the siblings, [N, 4]. Points after the
    context belong to groups that are no siblings, or to one without context points."""
    def below(k):
        return int(torch.randint(0, k, (1,), generator=rng))
    starts = [i for i in range(nc) if i == 0 or below(2)] + [nc]
    siblings = starts[below(len(starts))]
    own = [max((i for i in range(len(starts)) if starts[i] <= at), default=0) for at in range(nc)]
    open_to_targets = [i for i in range(len(starts)) if starts[i] >= siblings]
    own += [open_to_targets[below(len(open_to_targets))] for _ in range(n - nc)]
    ends = starts[1:] + [nc]
    return torch.tensor([[starts[g], ends[g], 0, siblings] for g in own])


def draw_levels(b, levels, n, rng):
    return torch.rand((b, levels, n), generator=rng, dtype=torch.float32).double()


def draw_resample(k, b, nc, rng):
    """Draws indices of context points and of residuals, [2, k, B, N_c]."""
    return torch.randint(0, nc, (2, k, b, nc), generator=rng)
