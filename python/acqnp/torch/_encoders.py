"""The encoders: the mean over the context, attention, a transformer, and the encoder of groups.

Each returns r of every x [B, N, d], or of every group [B, 1, d] from the mean. With an MLP E, the token of a context
point of a transformer is E([x, y, 0]), that of a query E([x, 0, 1]). In every layer both attend to the context tokens of
the layer's input, so queries do not see each other. The encoder of groups takes the same tokens. In each of its layers a
token attends to the context tokens of its own group, then to those of the siblings, then goes through a hidden layer.
"""

import torch

from ._layers import attend, attention, linear, mlp, norm, relu

EMBEDDER = "_encoder._embedder._net"
LAYERS = "_encoder._transformer."
GROUPS = "_encoder._groups."


def aggregation(model):
    return "attention" if model["name"] == "canp" else model.get("aggregation", "mean")


def shared(model):
    """Report whether the heads of the attention have the same maps."""
    return model.get("heads_form") == "shared"


def represent(model, weights, xc, yc, x, ranges):
    """Return r of points x [B, N, dx] from a context xc [B, N_c, dx], yc [B, N_c, dy].

    ranges, of the encoder of groups alone, are [B, N_c + N, 4]: for each context point and then each of x, the context
    points [from, to) of its own group, and those of the siblings.
    """
    kind = aggregation(model)
    if kind in ("transformer", "groups"):
        context, query = tokens(weights, xc, yc, x)
        if kind == "transformer":
            return transformer(model, weights, context, query)
        return groups(model, weights, context, query, *masks(ranges, xc.shape[1]))
    values = mlp(weights, "_encoder._mlp._net", torch.cat([xc, yc], dim=-1))
    if kind == "attention":
        return by_attention(model, weights, x, xc, values)
    if not xc.shape[1]:
        return values.sum(dim=1, keepdim=True)  # 0
    return values.mean(dim=1, keepdim=True)


def by_attention(model, weights, x, xc, values):
    """Return the multi-head attention of every x over the context, [B, N, d]."""
    net = "_encoder._attention."
    q, k = mlp(weights, net + "_query_mlp._net", x), mlp(weights, net + "_key_mlp._net", xc)
    total = 0
    for h in range(model["heads"]):

        def apply(name, v):
            return v @ weights[f"{net}_attention._{name}_layers.{0 if shared(model) else h}.weight"].squeeze(-1).T

        total = total + apply("output", attend(apply("query", q), apply("key", k), apply("value", values), 1))
    return total


def tokens(weights, xc, yc, x):
    """Return the tokens of the context [B, N_c, d] and of the queries [B, N, d]."""
    context = torch.cat([xc, yc, torch.zeros_like(xc[:, :, :1])], dim=-1)
    query = torch.cat([x, x.new_zeros(*x.shape[:2], yc.shape[-1]), torch.ones_like(x[:, :, :1])], dim=-1)
    return mlp(weights, EMBEDDER, context), mlp(weights, EMBEDDER, query)


def transformer(model, weights, context, query):
    for i in range(model["layers"]):
        last = i == model["layers"] - 1  # nothing reads the context after it
        context, query = (
            None if last else layer(model, weights, i, context, context),
            layer(model, weights, i, query, context),
        )
    return query


def layer(model, weights, number, token, context):
    """Apply a layer of nn.TransformerEncoder to tokens that attend to the context tokens."""
    name = f"{LAYERS}layers.{number}."
    token = norm(weights, name + "norm1", token + attention(weights, name + "self_attn.", token, context, model["heads"]))
    hidden = relu(linear(weights, name + "linear1", token))
    return norm(weights, name + "norm2", token + linear(weights, name + "linear2", hidden))


def masks(ranges, nc):
    """Return which context points a point reads, [B, N_c + N, N_c]: of its own group, and of the siblings."""
    at = torch.arange(nc, device=ranges.device)
    first, end = ranges[..., 0::2, None], ranges[..., 1::2, None]
    return ((at >= first) & (at < end)).unbind(dim=2)


def groups(model, weights, context, query, own, siblings):
    nc, heads = context.shape[1], model["heads"]

    def read(name, token, context, reads):
        return token + attention(weights, name, norm(weights, name + "norm", token), norm(weights, name + "norm", context), heads, reads)

    def feed(name, token):
        hidden = relu(linear(weights, name + "linear1", norm(weights, name + "norm", token)))
        return token + linear(weights, name + "linear2", hidden)

    for i in range(model["layers"]):
        name = f"{GROUPS}layers.{i}."
        old, context = context, read(name + "within.", context, context, own[:, :nc])
        query = read(name + "within.", query, old, own[:, nc:])
        query = feed(name, read(name + "across.", query, context, siblings[:, nc:]))
        if i < model["layers"] - 1:
            context = feed(name, read(name + "across.", context, context, siblings[:, :nc]))
    return norm(weights, GROUPS + "norm", query)
