"""Predictive distributions of outcomes with atoms: many zeros, whole numbers. They have no density, so
they are scored where y has a unit (protocol.log_score)."""
from dataclasses import dataclass

import numpy as np
from scipy.stats import nbinom

from scores import LEVELS, Components


@dataclass
class Floored:
    """y = max(0, v)^(1/power), where the latent v has a mixture of Gaussians: all below 0 lies at 0."""
    latent: Components
    power: float = 1

    def cdf(self, y):
        y = np.asarray(y, float)
        return np.where(y < 0, 0, self.latent.cdf(np.maximum(y, 0)**self.power))

    def quantiles(self, levels=LEVELS):
        return np.maximum(self.latent.quantiles(levels), 0)**(1 / self.power)


@dataclass
class Counts:
    """Mixtures of negative binomials, whose variance is mean + mean²/size, and of more zeros."""
    mean: np.ndarray  # [targets, components]
    weight: np.ndarray  # the same
    size: float
    zeros: float = 0  # the probability of a zero that is not of the negative binomial

    def cdf(self, y):
        k = np.floor(np.asarray(y, float))
        return np.where(k < 0, 0, (self.weight * self.below(np.maximum(k, 0)[:, None], self.mean)).sum(1))

    def below(self, k, mean):
        return self.zeros + (1 - self.zeros) * nbinom.cdf(k, self.size, self.size / (self.size + mean))

    def quantiles(self, levels=LEVELS):
        """Returns quantiles: every whole number up to 100 can be one, beyond it about one in a hundred."""
        out = np.empty((len(self.mean), len(levels)))
        for i, (mean, w) in enumerate(zip(self.mean, self.weight)):
            keep = w > 1e-6
            mean, w = mean[keep], w[keep] / w[keep].sum()
            top = nbinom.ppf(levels[-1], self.size, self.size / (self.size + mean.max())) + 1
            at = np.unique(np.concatenate([np.arange(min(top, 100) + 1), np.geomspace(100, max(top, 100), 500).round()]))
            out[i] = at[np.minimum(np.searchsorted(self.below(at[:, None], mean) @ w, levels), len(at) - 1)]
        return out
