"""The transformer encoder of CNP, CQNP and ACQNP: each layer in plain tensors, and PyTorch's own module to check it with.

With an MLP E, the token of a context point is E([x, y, 0]), that of a query E([x, 0, 1]). In every layer both attend to
the context tokens of the layer's input, so queries do not see each other. PyTorch's module does the same with a mask, on all tokens at once.
"""
import math

import torch
from torch import nn

from layers import linear, mlp, relu

EMBEDDER = "_encoder._embedder._net"
LAYERS = "_encoder._transformer."


def encode(model, weights, batch, kinks):
    """Returns r of every point, [B, N, d]."""
    context, query = tokens(weights, batch, kinks)
    return run_layers(model, weights, context, query, kinks)


def tokens(weights, batch, kinks):
    """Returns the tokens of the context [B, N_c, d] and of the queries [B, N, d]."""
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    context = torch.cat([x[:, :nc], y[:, :nc], torch.zeros_like(x[:, :nc, :1])], dim=-1)
    query = torch.cat([x, torch.zeros_like(y), torch.ones_like(x[:, :, :1])], dim=-1)
    return mlp(weights, EMBEDDER, context, kinks), mlp(weights, EMBEDDER, query, kinks)


def run_layers(model, weights, context, query, kinks):
    for i in range(model["layers"]):
        last = i == model["layers"] - 1  # nothing reads the context after it
        context, query = (None if last else layer(model, weights, i, context, context, kinks),
                          layer(model, weights, i, query, context, kinks))
    return query


def layer(model, weights, number, token, context, kinks):
    """Applies a layer to tokens [B, n, d] that attend to the context tokens [B, N_c, d]."""
    name = f"{LAYERS}layers.{number}."
    token = norm(weights, name + "norm1", token + attention(model["heads"], weights, name + "self_attn.", token, context))
    hidden = relu(linear(weights, name + "linear1", token), kinks)
    return norm(weights, name + "norm2", token + linear(weights, name + "linear2", hidden))


def attention(heads, weights, name, token, context):
    maps, biases = weights[name + "in_proj_weight"].chunk(3), weights[name + "in_proj_bias"].chunk(3)
    q, k, v = (t @ w.T + b for t, w, b in zip((token, context, context), maps, biases))
    parts = []
    for qh, kh, vh in zip(*(t.chunk(heads, dim=-1) for t in (q, k, v))):
        scores = qh @ kh.transpose(1, 2) / math.sqrt(qh.shape[-1])
        parts.append(torch.softmax(scores, dim=-1) @ vh)
    return linear(weights, name + "out_proj", torch.cat(parts, dim=-1))


def norm(weights, name, h):
    centred = h - h.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + 1e-5).sqrt() * weights[name + ".weight"] + weights[name + ".bias"]


def module(model):
    """Returns PyTorch's encoder of this size."""
    one = nn.TransformerEncoderLayer(model["representation"], model["heads"], model["feedforward"], dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(one, model["layers"])


def shapes(model):
    """Yields (name, shape, fan_in) of the weights of PyTorch's encoder."""
    for name, v in module(model).state_dict().items():
        yield LAYERS + name, tuple(v.shape), v.shape[-1]


def check(name, model, weights, batch, kinks):
    """Exits unless PyTorch's module gives the same r, and the same gradients of a function of r, with these weights."""
    context, query = (t.detach().requires_grad_(True) for t in tokens(weights, batch, kinks))
    own = {k: v.clone().requires_grad_(True) for k, v in weights.items() if k.startswith(LAYERS)}
    theirs = module(model)
    theirs.load_state_dict({k[len(LAYERS):]: v.detach() for k, v in own.items()})
    nc, total = context.shape[1], context.shape[1] + query.shape[1]
    hidden = torch.zeros(total, total, dtype=torch.bool)
    hidden[:, nc:] = True  # no token sees a query, not even its own
    masked = theirs(torch.cat([context, query], dim=1), mask=hidden)[:, nc:]
    efficient = run_layers(model, own, context, query, kinks)

    parameters = dict(theirs.named_parameters())
    same_order = [parameters[k[len(LAYERS):]] for k in own]
    results = [(efficient, masked), *zip(torch.autograd.grad(efficient.sin().sum(), [context, query, *own.values()]),
                                         torch.autograd.grad(masked.sin().sum(), [context, query, *same_order]))]
    off = max(((a - b).abs().max() / b.abs().max().clamp(min=1)).item() for a, b in results)
    if off > 1e-12:
        raise SystemExit(f"{name}: {off:.1e} off nn.TransformerEncoder")
    print(f"{name:34} {off:.1e} off nn.TransformerEncoder")
