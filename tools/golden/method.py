"""CNP, CANP, BNP, CQNP and ACQNP in plain PyTorch tensors, computed in the simplest way: one row for each (function,
level, point), everything tiled and concatenated. Weights are a dict under the authors' state_dict names. A model is a
dict with the keys of a configuration.

A batch is a dict: x [B, N, dx], y [B, N, dy], num_context; u [B, N_tau, N] for CQNP and ACQNP; resample [2, k, B, N_c]
(indices of context points, indices of residuals) for BNP; ranges [B, N, 4] for aggregation by groups.
"""
import math
from typing import NamedTuple, Optional

import torch

import groups
import transformer
from layers import linear, mlp, relu, softplus


class Result(NamedTuple):
    loglik: torch.Tensor  # [B, N], summed over channels
    components: torch.Tensor  # the decoder's output: [B, N, 2dy], of a mixture [B, N, stated_width], BNP [B, k, N, 2dy], quantile models [B, N_tau, N, 3dy]
    logit: Optional[torch.Tensor] = None  # of tau, [B, N_tau, N]
    plain: Optional[torch.Tensor] = None  # BNP: log-likelihood of the path without a bootstrap, [B, N]


    def targets(self, num_context):
        """Returns the part of the points that are not context."""
        of_points = {"loglik": 1, "components": 1 if self.logit is None else 2, "logit": 2}
        return self._replace(**{name: getattr(self, name).narrow(dim, num_context, self.loglik.shape[1] - num_context)
                                for name, dim in of_points.items() if getattr(self, name) is not None})


def has_levels(model):
    """Reports whether a model has quantile levels."""
    return model["name"] in ("cqnp", "acqnp")


def residual(model):
    """Reports whether a model has the residual adaptor: a start at CQNP's levels, and a decoder that reads u."""
    return model.get("adaptor_form") == "residual"


def natural(model):
    """Reports whether a model's scale has the natural form: 4 tau (1 - tau) times the paper's."""
    return model.get("scale_form") == "natural"


def aggregation(model):
    return "attention" if model["name"] == "canp" else model.get("aggregation", "mean")


def sigma_of(model, s):
    floor = model.get("sigma_floor", 0.01 if has_levels(model) else 0.1)
    return floor + (1 - floor) * softplus(s)


def gaussian(model, out):
    """Returns mu and sigma from a decoder's output [..., 2dy]."""
    mu, s = out.chunk(2, dim=-1)
    return mu, sigma_of(model, s)


def gaussian_loglik(model, out, y):
    mu, sigma = gaussian(model, out)
    density = -((y - mu) / sigma).square() / 2 - sigma.log() - math.log(2 * math.pi) / 2
    return density.sum(dim=-1)


def tile(v, dim, times):
    """Returns v with a new dimension dim that holds copies of it, as many as times."""
    v = v.unsqueeze(dim)
    return v.repeat([times if i == dim % v.dim() else 1 for i in range(v.dim())])


def forward(model, weights, batch, kinks):
    if model["name"] == "bnp":
        return bnp(model, weights, batch, kinks)
    x, y, r = batch["x"], batch["y"], represent(model, weights, batch, kinks)
    if has_levels(model):
        return quantile(model, weights, r, x, y, batch["u"], kinks)
    per_point = r.repeat(1, x.shape[1] // r.shape[1], 1)
    out = mlp(weights, "_decoder._mlp._net", torch.cat([per_point, x], dim=-1), kinks)
    if parts(model):
        return Result(mixture_loglik(model, out, y, kinks), out)
    return Result(gaussian_loglik(model, out, y), out)


def parts(model):
    """Returns the number of parts that a point's row of the decoder states, 0 for the paper's models."""
    return model.get("parts", 0)


def stated_width(model, dy):
    """Returns the width of such a row: blocks mu, s and a of dy times so many numbers, and the levels of a head
    quantile-mixture."""
    return (3 * dy + (model["head"] == "quantile-mixture")) * parts(model)


def mixture_loglik(model, out, y, kinks):
    """Returns the log-likelihood of the mixture that rows state: of Gaussians, or of asymmetric Laplace distributions."""
    k, dy = parts(model), y.shape[-1]
    mu, s, a = (block.unflatten(-1, (dy, k)) for block in out[..., :3 * dy * k].chunk(3, dim=-1))
    e, sigma = y.unsqueeze(-1) - mu, sigma_of(model, s)
    if model["head"] == "gaussian-mixture":
        density = -(e / sigma).square() / 2 - sigma.log() - math.log(2 * math.pi) / 2
    else:
        tau = (0.001 + 0.998 * torch.sigmoid(out[..., 3 * dy * k:])).unsqueeze(-2)  # of all channels
        sigma = 4 * tau * (1 - tau) * sigma if natural(model) else sigma
        kinks.see(e)
        density = torch.log(tau * (1 - tau) / sigma) - torch.where(e >= 0, tau * e, (tau - 1) * e) / sigma
    return torch.logsumexp(torch.log_softmax(a, dim=-1) + density, dim=-1).sum(dim=-1)


def represent(model, weights, batch, kinks):
    """Returns r of every point [B, N, d], or of every function [B, 1, d] with mean aggregation."""
    if aggregation(model) == "transformer":
        return transformer.encode(model, weights, batch, kinks)
    if aggregation(model) == "groups":
        return groups.encode(model, weights, batch, kinks)
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    values = mlp(weights, "_encoder._mlp._net", torch.cat([x[:, :nc], y[:, :nc]], dim=-1), kinks)
    if aggregation(model) == "attention":
        return attention(model, weights, x, x[:, :nc], values, kinks)
    return values.mean(dim=1, keepdim=True)


def shared(model):
    """Reports whether the heads of the attention have the same maps."""
    return model.get("heads_form") == "shared"


def attention(model, weights, x, xc, values, kinks):
    """Returns the multi-head attention of every x over the context, [B, N, d]."""
    net = "_encoder._attention."
    q = mlp(weights, net + "_query_mlp._net", x, kinks)
    k = mlp(weights, net + "_key_mlp._net", xc, kinks)
    total = 0
    for h in range(model["heads"]):
        def apply(name, v):
            return v @ weights[f"{net}_attention._{name}_layers.{0 if shared(model) else h}.weight"].squeeze(-1).T
        qh, kh, vh = apply("query", q), apply("key", k), apply("value", values)
        scores = qh @ kh.transpose(1, 2) / math.sqrt(qh.shape[-1])
        total = total + apply("output", torch.softmax(scores, dim=-1) @ vh)
    return total


def quantile(model, weights, r, x, y, u, kinks):
    """Computes CQNP or ACQNP: a mixture of asymmetric Laplace distributions over the levels."""
    n, dy, levels = x.shape[1], y.shape[-1], u.shape[1]
    r = r.unsqueeze(1).repeat(1, levels, n // r.shape[1], 1)
    x, y, u = tile(x, 1, levels), tile(y, 1, levels), u.unsqueeze(-1)
    z = 0
    if model["name"] == "cqnp" or residual(model):
        z = torch.log((0.001 + 0.998 * u) / (0.001 + 0.998 * (1 - u)))
    if model["name"] == "acqnp":
        z = z + mlp(weights, "_adaptor._net", torch.cat([r, x, u], dim=-1), kinks)
    level = [torch.sigmoid(z), u] if residual(model) else [torch.sigmoid(z)]
    out = mlp(weights, "_decoder._mlp._net", torch.cat([r, x, *level], dim=-1), kinks)
    mu, s, a = out[..., :dy], out[..., dy:2 * dy], out[..., 2 * dy:]
    sigma = sigma_of(model, s)
    if natural(model):
        sigma = 4 * torch.sigmoid(z) * torch.sigmoid(-z) * sigma
    e = y - mu
    kinks.see(e)
    rho = torch.where(e >= 0, torch.sigmoid(z) * e, -torch.sigmoid(-z) * e)
    log_al = -softplus(-z) - softplus(z) - sigma.log() - rho / sigma
    log_weight = a - torch.logsumexp(a, dim=1, keepdim=True)
    mixture = torch.logsumexp(log_weight + log_al, dim=1)  # over the levels: [B, N, dy]
    return Result(mixture.sum(dim=-1), out, z.squeeze(-1))


def bnp(model, weights, batch, kinks):
    """Computes BNP, with the bootstraps in the place of levels: [B, k, ...]."""
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    points, resample = batch["resample"].long().transpose(1, 2)  # each [B, k, N_c]
    k, xc, yc = points.shape[1], x[:, :nc], y[:, :nc]
    xs, ys = tile(xc, 1, k), tile(yc, 1, k)

    def encode(x, y):
        pairs = torch.cat([x, y], dim=-1)
        return torch.cat([mlp(weights, f"{enc}.net_post", mlp(weights, f"{enc}.net_pre", pairs, kinks).mean(dim=-2), kinks)
                          for enc in ("enc1", "enc2")], dim=-1)

    def decode(encoded, x, ctx=None):
        h = linear(weights, "dec.fc", torch.cat([tile(encoded, -2, x.shape[-2]), x], dim=-1))
        if ctx is not None:
            h = h + tile(ctx @ weights["dec.fc_ctx.weight"].T, -2, x.shape[-2])
        return mlp(weights, "dec.mlp", relu(h, kinks), kinks, first=1)

    def pick(v, index):  # whole points, all channels of one together
        return torch.gather(v, 2, tile(index, -1, v.shape[-1]))

    with torch.no_grad():
        mu, sigma = gaussian(model, decode(encode(pick(xs, points), pick(ys, points)), xs))
        residual = pick((ys - mu) / sigma, resample)
        again = mu + sigma * (residual - residual.mean(dim=2, keepdim=True))
    base = encode(xc, yc)
    plain = gaussian_loglik(model, decode(base, x), y)
    out = decode(tile(base, 1, k), tile(x, 1, k), encode(xs, again))
    loglik = torch.logsumexp(gaussian_loglik(model, out, tile(y, 1, k)), dim=1) - math.log(k)
    return Result(loglik, out, plain=plain)


def loss_of(result):
    loss = -result.loglik.mean(dim=1).mean()
    return loss if result.plain is None else loss - result.plain.mean(dim=1).mean()


def shapes(model, dx, dy):
    """Yields (name, shape, fan_in) of every weight."""
    def affine(prefix, fan_in, fan_out):
        yield f"{prefix}.weight", (fan_out, fan_in), fan_in
        yield f"{prefix}.bias", (fan_out,), fan_in

    def net(prefix, sizes, first=0):
        for i, (fan_in, fan_out) in enumerate(zip(sizes[:-1], sizes[1:])):
            yield from affine(f"{prefix}.{first + 2 * i}", fan_in, fan_out)

    if model["name"] == "bnp":
        w, pre, post, dec = (model[k] for k in ("width", "pre_depth", "post_depth", "decoder_depth"))
        for enc in ("enc1", "enc2"):
            yield from net(f"{enc}.net_pre", [dx + dy] + [w] * pre)
            yield from net(f"{enc}.net_post", [w] * (post + 1))
        yield from affine("dec.fc", 2 * w + dx, w)
        yield "dec.fc_ctx.weight", (w, 2 * w), 2 * w
        yield from net("dec.mlp", [w] * (dec - 1) + [2 * dy], first=1)
        return

    d, levels = model["representation"], has_levels(model) + residual(model)
    if aggregation(model) in ("transformer", "groups"):
        yield from net(transformer.EMBEDDER, [dx + dy + 1, *model["encoder"], d])
        yield from (groups if aggregation(model) == "groups" else transformer).shapes(model)
    else:
        yield from net("_encoder._mlp._net", [dx + dy, *model["encoder"], d])
    if model["name"] == "acqnp":
        yield from net("_adaptor._net", [d + dx + 1, *model["adaptor"], 1])
    if aggregation(model) == "attention":
        yield from attention_shapes(model, dx, net)
    out = stated_width(model, dy) if parts(model) else (3 if levels else 2) * dy
    yield from net("_decoder._mlp._net", [d + dx + levels, *model["decoder"], out])


def attention_shapes(model, dx, net):
    name, d, heads = "_encoder._attention.", model["representation"], model["heads"]
    yield from net(name + "_query_mlp._net", [dx, *model["query_encoder"], d])
    yield from net(name + "_key_mlp._net", [dx, *model["key_encoder"], d])
    part = d // heads
    for each, shape in (("query", (part, d, 1)), ("key", (part, d, 1)), ("value", (part, d, 1)), ("output", (d, part, 1))):
        for h in range(1 if shared(model) else heads):
            yield f"{name}_attention._{each}_layers.{h}.weight", shape, shape[1]
