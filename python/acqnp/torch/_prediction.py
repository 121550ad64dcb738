"""The predictive distribution of every target."""

import math

import torch


class Prediction:
    """A mixture for each target and column of y, in the units of the data.

    ``mu``, ``sigma`` and ``log_weight`` [B, K, N, dy] and ``tau`` [B, K, N, 1] are its parts as the model states them, in
    its own units: asymmetric Laplace distributions of level tau, or Gaussians where tau is None. The columns of y are
    predicted one by one.
    """

    def __init__(self, components, units, weighted):
        self._parts, self._units, self._weighted = components, units, weighted
        self.mu, self.sigma, self.log_weight = components.mu, components.sigma, components.log_weight
        self.tau = None if components.logit is None else torch.sigmoid(components.logit)

    def log_prob(self, y):
        """Return the log density of y [B, N, dy]."""
        y = torch.as_tensor(y, device=self.mu.device).to(self.mu.dtype)
        inside = torch.logsumexp(self.log_weight + self._parts.log_density(self._units.model_y(y)), dim=1)
        return inside + self._units.log_slope(y)

    def mean(self):
        """Return the mean [B, N, dy]. Where the model sees log y and its parts have weights, it is that of min(y, q) with
        the quantile q of level 0.99, since the tail beyond it may have none."""
        columns = self._units.y or [{"offset": 0, "scale": 1}] * self.mu.shape[-1]
        tau = None if self.tau is None else self.tau[..., 0]
        means = []
        for c, column in enumerate(columns):
            mu, sigma = column["offset"] + column["scale"] * self.mu[..., c], column["scale"] * self.sigma[..., c]
            if not column.get("log"):
                each = mu if tau is None else mu + sigma * (1 - 2 * tau) / (tau * (1 - tau))
            elif not self._weighted:
                each = (mu + sigma.square() / 2).exp()
            else:
                each = _exp_up_to(self.quantile(0.99)[..., c].log().unsqueeze(1), mu, sigma, tau)
            means.append((self.log_weight[..., c].exp() * each).sum(dim=1))
        return torch.stack(means, dim=-1)

    def cdf(self, y):
        """Return the probability of up to y [B, N, dy]."""
        return self._cdf(self._units.model_y(torch.as_tensor(y, device=self.mu.device).to(self.mu.dtype)))

    def _cdf(self, y):
        d = (y.unsqueeze(1) - self.mu) / self.sigma
        if self.tau is None:
            below = _normal(d)
        else:
            tau = self.tau
            below = torch.where(d < 0, tau * ((1 - tau) * d.clamp(max=0)).exp(), 1 - (1 - tau) * (-tau * d.clamp(min=0)).exp())
        return (self.log_weight.exp() * below).sum(dim=1)

    def quantile(self, level):
        """Return the quantiles [B, N, dy] of a level in (0, 1), a number or a tensor of that shape. Those of random levels
        are draws."""
        level = torch.as_tensor(level, device=self.mu.device).to(self.mu.dtype)
        with torch.no_grad():
            low, high = (self.mu - self.sigma).amin(dim=1), (self.mu + self.sigma).amax(dim=1)
            width = high - low
            while (below := self._cdf(low) > level).any() | (above := self._cdf(high) < level).any():
                low, high, width = torch.where(below, low - width, low), torch.where(above, high + width, high), 2 * width
            for _ in range(64):
                middle = (low + high) / 2
                beyond = self._cdf(middle) > level
                low, high = torch.where(beyond, low, middle), torch.where(beyond, middle, high)
        return self._units.raw_y((low + high) / 2)


def _exp_up_to(most, mu, sigma, tau):
    """Return E[exp(min(Z, most))] of parts Z: the integrals below mu, from there to most, and what lies above it."""
    if tau is None:
        d = (most - mu) / sigma
        return (mu + sigma.square() / 2).exp() * _normal(d - sigma) + _normal(-d) * most.exp()
    up, down = (1 - tau) / sigma, tau / sigma
    top = torch.minimum(most, mu)
    below = tau * up / (up + 1) * (top + up * (top - mu)).exp()
    length, rate = (most - mu).clamp(min=0), 1 - down
    rate = torch.where(rate.abs() < 1e-12, torch.full_like(rate, 1e-12), rate)
    between = tau * up * mu.exp() * torch.expm1(rate * length) / rate
    above = torch.where(most < mu, 1 - tau * (up * (top - mu)).exp(), (1 - tau) * (-down * length).exp())
    return below + between + above * most.exp()


def _normal(d):
    return torch.erfc(-d / math.sqrt(2)) / 2
