"""CNP, CANP, BNP, CQNP and ACQNP, computed in the simplest way: one row for each (group, level, point), everything
tiled and concatenated. A model is a dict with the keys of a configuration, weights are one under the authors'
state_dict names. ``docs/explanation/method.md`` has the equations.
"""

import math
from typing import NamedTuple, Optional

import torch

from ._encoders import represent
from ._layers import kink, linear, mlp, relu, softplus


class Components(NamedTuple):
    """K components of the distribution of every point's y, each [B, K, N, dy]: Gaussians, or asymmetric Laplace
    distributions where there are levels."""

    mu: torch.Tensor
    sigma: torch.Tensor
    log_weight: torch.Tensor
    logit: Optional[torch.Tensor]  # of the level tau, [B, K, N, 1]
    out: torch.Tensor  # the decoder's output, which states them

    def log_density(self, y):
        """Return the log density of each component at y [B, N, dy]."""
        e, z = y.unsqueeze(1) - self.mu, self.logit
        if z is None:
            return -(e / self.sigma).square() / 2 - self.sigma.log() - math.log(2 * math.pi) / 2
        kink(e)
        rho = torch.where(e >= 0, torch.sigmoid(z) * e, -torch.sigmoid(-z) * e)
        return -softplus(-z) - softplus(z) - self.sigma.log() - rho / self.sigma


def has_levels(model):
    """Report whether a model reads quantile levels."""
    return model["name"] in ("cqnp", "acqnp")


def residual(model):
    """Report whether a model has the residual adaptor: a start at CQNP's levels, and a decoder that reads u."""
    return model.get("adaptor_form") == "residual"


def natural(model):
    """Report whether a model's scale has the natural form: 4 tau (1 - tau) times the paper's."""
    return model.get("scale_form") == "natural"


def parts(model):
    """Return the number of parts that a point's row of the decoder states, 0 for the paper's models."""
    return model.get("parts", 0)


def stated_width(model, dy):
    """Return the width of such a row: blocks mu, s and a of dy times so many numbers, and the levels of a head
    quantile-mixture."""
    return (3 * dy + (model["head"] == "quantile-mixture")) * parts(model)


def sigma_of(model, s, logit=None):
    floor = model.get("sigma_floor", 0.01 if has_levels(model) else 0.1)
    sigma = floor + (1 - floor) * softplus(s)
    return 4 * torch.sigmoid(logit) * torch.sigmoid(-logit) * sigma if logit is not None and natural(model) else sigma


def logit_of_uniform(u):
    """Return the logit of 0.001 + 0.998 u."""
    return torch.log((0.001 + 0.998 * u) / (0.001 + 0.998 * (1 - u)))


def tile(v, dim, times):
    """Return v with a new dimension dim that holds copies of it, as many as times."""
    v = v.unsqueeze(dim)
    return v.repeat([times if i == dim % v.dim() else 1 for i in range(v.dim())])


def predict(model, weights, xc, yc, x, u=None, ranges=None):
    """Return the Components at x [B, N, dx] from a context xc [B, N_c, dx], yc [B, N_c, dy], for any model but BNP.

    u are the levels [B, N_tau, N] of CQNP and ACQNP, ranges those of represent.
    """
    dy, r = yc.shape[-1], represent(model, weights, xc, yc, x, ranges)
    if has_levels(model):
        return quantiles(model, weights, r, x, u, dy)
    r = r.repeat(1, x.shape[1] // r.shape[1], 1)
    out = mlp(weights, "_decoder._mlp._net", torch.cat([r, x], dim=-1))
    return stated(model, out, dy) if parts(model) else gaussian(model, out.unsqueeze(1), out)


def gaussian(model, rows, out):
    """Return the equally likely Gaussians that rows [B, K, N, 2dy] of a decoder state."""
    mu, s = rows.chunk(2, dim=-1)
    return Components(mu, sigma_of(model, s), torch.full_like(mu, -math.log(mu.shape[1])), None, out)


def stated(model, out, dy):
    """Return the mixture that one row for each point states."""
    k = parts(model)
    mu, s, a = (block.unflatten(-1, (dy, k)).permute(0, 3, 1, 2) for block in out[..., : 3 * dy * k].chunk(3, dim=-1))
    z = None
    if model["head"] == "quantile-mixture":
        z = logit_of_uniform(torch.sigmoid(out[..., 3 * dy * k :])).permute(0, 2, 1).unsqueeze(-1)
    return Components(mu, sigma_of(model, s, z), torch.log_softmax(a, dim=1), z, out)


def quantiles(model, weights, r, x, u, dy):
    """Return the component of each level of CQNP or ACQNP."""
    n, levels = x.shape[1], u.shape[1]
    r = r.unsqueeze(1).repeat(1, levels, n // r.shape[1], 1)
    x, u, z = tile(x, 1, levels), u.unsqueeze(-1), 0
    if model["name"] == "cqnp" or residual(model):
        z = logit_of_uniform(u)
    if model["name"] == "acqnp":
        z = z + mlp(weights, "_adaptor._net", torch.cat([r, x, u], dim=-1))
    level = [torch.sigmoid(z), u] if residual(model) else [torch.sigmoid(z)]
    out = mlp(weights, "_decoder._mlp._net", torch.cat([r, x, *level], dim=-1))
    mu, s, a = out.split(dy, dim=-1)
    return Components(mu, sigma_of(model, s, z), a - torch.logsumexp(a, dim=1, keepdim=True), z, out)


def bnp(model, weights, xc, yc, x, resample):
    """Return the Components of BNP, one for each of k bootstraps, and those of the path without a bootstrap.

    resample is [2, k, B, N_c]: indices of context points, then of residuals.
    """
    at, again = resample.long().transpose(1, 2)  # each [B, k, N_c]
    k = at.shape[1]
    xs, ys = tile(xc, 1, k), tile(yc, 1, k)

    def encode(x, y):
        pairs = torch.cat([x, y], dim=-1)
        pooled = [mlp(weights, f"{enc}.net_pre", pairs).mean(dim=-2) for enc in ("enc1", "enc2")]
        return torch.cat([mlp(weights, f"{enc}.net_post", h) for enc, h in zip(("enc1", "enc2"), pooled)], dim=-1)

    def decode(encoded, x, ctx=None):
        h = linear(weights, "dec.fc", torch.cat([tile(encoded, -2, x.shape[-2]), x], dim=-1))
        if ctx is not None:
            h = h + tile(ctx @ weights["dec.fc_ctx.weight"].T, -2, x.shape[-2])
        return mlp(weights, "dec.mlp", relu(h), first=1)

    def pick(v, index):  # whole points, all channels of one together
        return torch.gather(v, 2, tile(index, -1, v.shape[-1]))

    with torch.no_grad():
        first = decode(encode(pick(xs, at), pick(ys, at)), xs)
        fitted = gaussian(model, first, first)
        left = pick((ys - fitted.mu) / fitted.sigma, again)
        drawn = fitted.mu + fitted.sigma * (left - left.mean(dim=2, keepdim=True))
    base = encode(xc, yc)
    plain, out = decode(base, x), decode(tile(base, 1, k), tile(x, 1, k), encode(xs, drawn))
    return gaussian(model, out, out), gaussian(model, plain.unsqueeze(1), plain)
