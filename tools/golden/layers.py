"""Layers that several models have, and a record of how close their arguments come to a kink."""
import math

import torch


class Kinks:
    """Records how close the arguments of max(0, .) and |.| come to 0."""

    def __init__(self):
        self.least = math.inf

    def see(self, v):
        self.least = min(self.least, v.detach().abs().min().item())


def softplus(v):
    # F.softplus switches to the identity above 20 and is wrong by 2e-9 there.
    return torch.logaddexp(v, torch.zeros_like(v))


def relu(h, kinks):
    kinks.see(h)
    return h.clamp(min=0)


def linear(weights, name, h):
    return h @ weights[name + ".weight"].T + weights[name + ".bias"]


def mlp(weights, prefix, h, kinks, first=0):
    """Applies the linear layers numbered first, first + 2, ... with a ReLU after each but the last."""
    last = max(int(k.split(".")[-2]) for k in weights if k.startswith(prefix + "."))
    for i in range(first, last + 1, 2):
        h = linear(weights, f"{prefix}.{i}", h)
        if i < last:
            h = relu(h, kinks)
    return h
