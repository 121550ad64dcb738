"""The encoder of groups of CNP, CQNP and ACQNP: each layer in plain tensors, and PyTorch's own modules to check it with.

Tokens are those of transformer.py. A batch has ranges [B, N, 4]: the context points [from, to) of a point's own group, then
those of the siblings. In every layer a token attends to the context tokens of its group, then to those of the siblings,
then goes through a hidden layer; each of the three reads a layer norm and adds to the token.
"""
import torch
from torch import nn

from layers import linear, relu
from transformer import norm, tokens

GROUPS = "_encoder._groups."


def encode(model, weights, batch, kinks):
    """Returns r of every point, [B, N, d]."""
    context, query = tokens(weights, batch, kinks)
    return run_layers(model, weights, context, query, *masks(batch), kinks)


def masks(batch):
    """Returns which context points a point reads, [B, N, N_c]: of its own group, and of the siblings."""
    at = torch.arange(batch["num_context"])
    first, end = batch["ranges"][..., 0::2, None], batch["ranges"][..., 1::2, None]
    return ((at >= first) & (at < end)).unbind(dim=2)


def run_layers(model, weights, context, query, own, siblings, kinks):
    nc, layers = context.shape[1], model["layers"]

    def feed(name, token):
        hidden = relu(linear(weights, name + "linear1", norm(weights, name + "norm", token)), kinks)
        return token + linear(weights, name + "linear2", hidden)

    for i in range(layers):
        name, heads = f"{GROUPS}layers.{i}.", model["heads"]
        old, context = context, add_attention(heads, weights, name + "within.", context, context, own[:, :nc])
        query = add_attention(heads, weights, name + "within.", query, old, own)
        query = feed(name, add_attention(heads, weights, name + "across.", query, context, siblings))
        if i < layers - 1:
            context = feed(name, add_attention(heads, weights, name + "across.", context, context, siblings[:, :nc]))
    return norm(weights, GROUPS + "norm", query)


def add_attention(heads, weights, name, token, context, reads):
    """Adds to tokens [B, n, d] what they find among the context tokens that they read. reads is [B, n, N_c]."""
    maps, biases = weights[name + "in_proj_weight"].chunk(3), weights[name + "in_proj_bias"].chunk(3)
    normed, keys = norm(weights, name + "norm", token), norm(weights, name + "norm", context)
    q, k, v = (t @ w.T + b for t, w, b in zip((normed, keys, keys), maps, biases))
    parts = []
    for qh, kh, vh in zip(*(t.chunk(heads, dim=-1) for t in (q, k, v))):
        scores = (qh @ kh.transpose(1, 2) / qh.shape[-1] ** 0.5).masked_fill(~reads, -torch.inf)
        shares = torch.softmax(scores, dim=-1).masked_fill(~reads, 0)  # a token that reads nothing gets 0, not NaN
        parts.append(shares @ vh)
    return token + linear(weights, name + "out_proj", torch.cat(parts, dim=-1))


class Attention(nn.MultiheadAttention):
    """PyTorch's attention with a layer norm before it."""

    def __init__(self, d, heads):
        super().__init__(d, heads, batch_first=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, token, context, reads):
        normed, keys, some = self.norm(token), self.norm(context), reads.any(dim=-1, keepdim=True)
        hidden = (~reads & some).repeat_interleave(self.num_heads, dim=0)
        found, _ = super().forward(normed, keys, keys, attn_mask=hidden)
        return token + torch.where(some, found, self.out_proj.bias)


class Layer(nn.Module):
    def __init__(self, model):
        super().__init__()
        d = model["representation"]
        self.within, self.across = Attention(d, model["heads"]), Attention(d, model["heads"])
        self.norm = nn.LayerNorm(d)
        self.linear1, self.linear2 = nn.Linear(d, model["feedforward"]), nn.Linear(model["feedforward"], d)

    def forward(self, token, own, siblings, nc):
        token = self.within(token, token[:, :nc], own)
        token = self.across(token, token[:, :nc], siblings)
        return token + self.linear2(torch.relu(self.linear1(self.norm(token))))


class Groups(nn.Module):
    """PyTorch's encoder: the tokens of the context and of the points go through it side by side."""

    def __init__(self, model):
        super().__init__()
        self.layers = nn.ModuleList(Layer(model) for _ in range(model["layers"]))
        self.norm = nn.LayerNorm(model["representation"])

    def forward(self, context, query, own, siblings):
        nc, token = context.shape[1], torch.cat([context, query], dim=1)
        own, siblings = (torch.cat([m[:, :nc], m], dim=1) for m in (own, siblings))
        for layer in self.layers:
            token = layer(token, own, siblings, nc)
        return self.norm(token[:, nc:])


def shapes(model):
    """Yields (name, shape, fan_in) of the weights of PyTorch's encoder."""
    for name, v in Groups(model).state_dict().items():
        yield GROUPS + name, tuple(v.shape), v.shape[-1]


def check(name, model, weights, batch, kinks):
    """Exits unless PyTorch's modules give the same r, and the same gradients of a function of r, with these weights."""
    context, query = (t.detach().requires_grad_(True) for t in tokens(weights, batch, kinks))
    own = {k: v.clone().requires_grad_(True) for k, v in weights.items() if k.startswith(GROUPS)}
    theirs = Groups(model)
    theirs.load_state_dict({k[len(GROUPS):]: v.detach() for k, v in own.items()})
    reads = masks(batch)
    plain, modules = run_layers(model, own, context, query, *reads, kinks), theirs(context, query, *reads)
    parameters = dict(theirs.named_parameters())
    results = [(plain, modules), *zip(torch.autograd.grad(plain.sin().sum(), [context, query, *own.values()]),
                                      torch.autograd.grad(modules.sin().sum(), [context, query, *(parameters[k[len(GROUPS):]] for k in own)]))]
    off = max(((a - b).abs().max() / b.abs().max().clamp(min=1)).item() for a, b in results)
    if off > 1e-12:
        raise SystemExit(f"{name}: {off:.1e} off nn.MultiheadAttention")
    print(f"{name:34} {off:.1e} off nn.MultiheadAttention")
