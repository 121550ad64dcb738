"""Layers that several models have. Weights are a dict under the names of PyTorch's state_dict."""

import contextlib
import math

import torch

_watchers = []


@contextlib.contextmanager
def watched(see):
    """Call see with the arguments of max(0, .) and |.|, whose gradients jump at 0, as long as this lasts."""
    _watchers.append(see)
    try:
        yield
    finally:
        _watchers.remove(see)


def kink(v):
    """Return v, the argument of a function whose gradient jumps at 0."""
    for see in _watchers:
        see(v)
    return v


def softplus(v):
    # F.softplus switches to the identity above 20 and is wrong by 2e-9 there.
    return torch.logaddexp(v, torch.zeros_like(v))


def relu(h):
    return kink(h).clamp(min=0)


def linear(weights, name, h):
    return h @ weights[name + ".weight"].T + weights[name + ".bias"]


def mlp(weights, prefix, h, first=0):
    """Apply the linear layers numbered first, first + 2, ... with a ReLU after each but the last."""
    last = max(int(k.split(".")[-2]) for k in weights if k.startswith(prefix + "."))
    for i in range(first, last + 1, 2):
        h = linear(weights, f"{prefix}.{i}", h)
        if i < last:
            h = relu(h)
    return h


def norm(weights, name, h):
    centred = h - h.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + 1e-5).sqrt() * weights[name + ".weight"] + weights[name + ".bias"]


def attend(q, k, v, heads, reads=None):
    """Return what each of the heads finds among v, side by side. reads, [B, n, N_c], says what a token reads: all if it is
    None. A token that reads nothing finds 0."""
    found = []
    for qh, kh, vh in zip(*(t.chunk(heads, dim=-1) for t in (q, k, v))):
        scores = qh @ kh.transpose(1, 2) / math.sqrt(qh.shape[-1])
        if reads is None:
            shares = torch.softmax(scores, dim=-1)
        else:
            shares = torch.softmax(scores.masked_fill(~reads, -torch.inf), dim=-1).masked_fill(~reads, 0)
        found.append(shares @ vh)
    return torch.cat(found, dim=-1)


def attention(weights, name, token, context, heads, reads=None):
    """Return the attention of tokens [B, n, d] over those of the context [B, N_c, d], as nn.MultiheadAttention has it."""
    maps, biases = weights[name + "in_proj_weight"].chunk(3), weights[name + "in_proj_bias"].chunk(3)
    q, k, v = (t @ w.T + b for t, w, b in zip((token, context, context), maps, biases))
    return linear(weights, name + "out_proj", attend(q, k, v, heads, reads))
