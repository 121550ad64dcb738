"""PyTorch's own transformer encoder, to check that of the package with.

The package lets context tokens and queries go apart. PyTorch's module does the same with a mask, on all tokens at once.
"""
import torch
from torch import nn

from package import encoders


def module(model):
    """Returns PyTorch's encoder of this size."""
    one = nn.TransformerEncoderLayer(model["representation"], model["heads"], model["feedforward"], dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(one, model["layers"])


def shapes(model):
    """Yields (name, shape, fan_in) of the weights of PyTorch's encoder."""
    for name, v in module(model).state_dict().items():
        yield encoders.LAYERS + name, tuple(v.shape), v.shape[-1]


def check(name, model, weights, batch):
    """Exits unless PyTorch's module gives the same r, and the same gradients of a function of r, with these weights."""
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    context, query = (t.detach().requires_grad_(True) for t in encoders.tokens(weights, x[:, :nc], y[:, :nc], x))
    own = {k: v.clone().requires_grad_(True) for k, v in weights.items() if k.startswith(encoders.LAYERS)}
    theirs = module(model)
    theirs.load_state_dict({k[len(encoders.LAYERS):]: v.detach() for k, v in own.items()})
    total = nc + query.shape[1]
    hidden = torch.zeros(total, total, dtype=torch.bool)
    hidden[:, nc:] = True  # no token sees a query, not even its own
    masked = theirs(torch.cat([context, query], dim=1), mask=hidden)[:, nc:]
    compare(name, "nn.TransformerEncoder", encoders.transformer(model, own, context, query), masked, [context, query], own,
            theirs, encoders.LAYERS)


def compare(name, what, ours, masked, inputs, own, theirs, prefix):
    """Exits unless two r are the same, and the gradients of a function of each by inputs and weights."""
    parameters = dict(theirs.named_parameters())
    same_order = [parameters[k[len(prefix):]] for k in own]
    results = [(ours, masked), *zip(torch.autograd.grad(ours.sin().sum(), [*inputs, *own.values()]),
                                    torch.autograd.grad(masked.sin().sum(), [*inputs, *same_order]))]
    off = max(((a - b).abs().max() / b.abs().max().clamp(min=1)).item() for a, b in results)
    if off > 1e-12:
        raise SystemExit(f"{name}: {off:.1e} off {what}")
    print(f"{name:34} {off:.1e} off {what}")
