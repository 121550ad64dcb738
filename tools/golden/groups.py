"""PyTorch's own layers with masks, to check the package's encoder of groups with.

A batch has ranges [B, N, 4]: the context points [from, to) of a point's own group, then those of the siblings.
"""
import torch
from torch import nn

from package import encoders
from transformer import compare


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
        for layer in self.layers:
            token = layer(token, own, siblings, nc)
        return self.norm(token[:, nc:])


def shapes(model):
    """Yields (name, shape, fan_in) of the weights of PyTorch's encoder."""
    for name, v in Groups(model).state_dict().items():
        yield encoders.GROUPS + name, tuple(v.shape), v.shape[-1]


def check(name, model, weights, batch):
    """Exits unless PyTorch's modules give the same r, and the same gradients of a function of r, with these weights."""
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    context, query = (t.detach().requires_grad_(True) for t in encoders.tokens(weights, x[:, :nc], y[:, :nc], x))
    own = {k: v.clone().requires_grad_(True) for k, v in weights.items() if k.startswith(encoders.GROUPS)}
    theirs = Groups(model)
    theirs.load_state_dict({k[len(encoders.GROUPS):]: v.detach() for k, v in own.items()})
    reads = encoders.masks(torch.cat([batch["ranges"][:, :nc], batch["ranges"]], dim=1), nc)
    compare(name, "nn.MultiheadAttention", encoders.groups(model, own, context, query, *reads), theirs(context, query, *reads),
            [context, query], own, theirs, encoders.GROUPS)
