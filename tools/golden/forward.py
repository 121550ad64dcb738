"""The log-likelihoods and the loss of a batch.

A batch is a dict: x [B, N, dx], y [B, N, dy], num_context; u [B, N_tau, N] for CQNP and ACQNP; resample [2, k, B, N_c]
(indices of context points, indices of residuals) for BNP; ranges [B, N, 4] for aggregation by groups.
"""
import math
from typing import NamedTuple, Optional

import torch

from package import method


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


def forward(model, weights, batch):
    x, y, nc = batch["x"], batch["y"], batch["num_context"]
    xc, yc = x[:, :nc], y[:, :nc]
    if model["name"] == "bnp":
        found, plain = method.bnp(model, weights, xc, yc, x, batch["resample"])
        each = found.log_density(y).sum(dim=-1)  # all channels of a point come of one bootstrap
        loglik = torch.logsumexp(each, dim=1) - math.log(each.shape[1])
        return Result(loglik, found.out, plain=plain.log_density(y)[:, 0].sum(dim=-1))
    ranges = batch.get("ranges")
    if ranges is not None:  # the context points are among the points
        ranges = torch.cat([ranges[:, :nc], ranges], dim=1)
    found = method.predict(model, weights, xc, yc, x, batch.get("u"), ranges)
    loglik = torch.logsumexp(found.log_weight + found.log_density(y), dim=1).sum(dim=-1)
    return Result(loglik, found.out, found.logit.squeeze(-1) if method.has_levels(model) else None)


def loss_of(result):
    loss = -result.loglik.mean(dim=1).mean()
    return loss if result.plain is None else loss - result.plain.mean(dim=1).mean()
