"""Predictive distributions and their scores: the same for every tool."""
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import ndtr

LEVELS = (np.arange(200) + 0.5) / 200


@dataclass
class Components:
    """A mixture for each target, of one distribution at many locations and scales, of y or, with
    `log`, of log y. All arrays are [targets, components]."""
    noise: object  # a frozen distribution of scipy
    loc: np.ndarray
    scale: np.ndarray
    weight: np.ndarray
    log: bool = False

    def log_density(self, y):
        """Returns log p(y) of each target in raw units."""
        v = np.log(y) if self.log else np.asarray(y, float)
        with np.errstate(divide="ignore"):  # a weight can be 0
            joint = self.noise.logpdf((v[:, None] - self.loc) / self.scale) - np.log(self.scale) + np.log(self.weight)
        top = joint.max(1, keepdims=True)
        return (top + np.log(np.exp(joint - top).sum(1, keepdims=True)))[:, 0] - (v if self.log else 0)

    def cdf(self, y):
        """Returns P(Y ≤ y) of each target."""
        v = np.log(np.maximum(y, 1e-300)) if self.log else np.asarray(y, float)
        return (self.weight * self.below((v[:, None] - self.loc) / self.scale)).sum(1)

    def below(self, z):
        return ndtr(z) if self.noise is stats.norm else self.noise.cdf(z)

    def quantiles(self, levels=LEVELS):
        """Returns the quantiles [targets, levels], from a cdf at quantiles of the components. Of more than
        120 components, 120 stand for all."""
        out, at = np.empty((len(self.loc), len(levels))), self.noise.ppf(levels)
        for i, (loc, scale, w) in enumerate(zip(self.loc, self.scale, self.weight)):
            if len(w) > 120:
                pick = np.searchsorted(np.cumsum(w) / w.sum(), (np.arange(120) + 0.5) / 120)
                loc, scale, w = loc[pick], scale[pick], np.full(120, 1 / 120)
            loc, scale, w = loc[w > 0], scale[w > 0], w[w > 0]
            if len(w) == 1:
                out[i] = loc + scale * at
                continue
            some = self.noise.ppf((np.arange(n := max(9, 600 // len(w))) + 0.5) / n)
            grid = np.unique(loc[:, None] + scale[:, None] * np.concatenate([[3 * some[0]], some, [3 * some[-1]]]))
            grid = grid[np.unique(np.linspace(0, len(grid) - 1, 800).astype(int))]
            out[i] = np.interp(levels, self.below((grid[:, None] - loc) / scale) @ w, grid)
        return np.exp(out) if self.log else out

    @staticmethod
    def joined(parts, log=False):
        """Returns several as one; components of weight 0 fill up the shorter ones."""
        k = max(p.loc.shape[1] for p in parts)
        fill = lambda a, v: np.pad(a, ((0, 0), (0, k - a.shape[1])), constant_values=v)
        return Components(parts[0].noise, *(np.concatenate([fill(getattr(p, n), v) for p in parts])
                                            for n, v in (("loc", 0), ("scale", 1), ("weight", 0))), log)


@dataclass
class Scored:
    """Scores of a tool that states no distribution, but density, CRPS and PIT of the targets."""
    log_score: np.ndarray
    crps: np.ndarray
    pit: np.ndarray


def gaussians(mu, sigma, weight=None, log=False):
    """Returns mixtures of Gaussians; all arguments [targets] or [targets, components]."""
    mu, sigma = (np.asarray(a, float).reshape(len(a), -1) for a in (mu, sigma))
    weight = np.full(mu.shape, 1 / mu.shape[1]) if weight is None else weight
    return Components(stats.norm, mu, np.broadcast_to(sigma, mu.shape), np.broadcast_to(weight, mu.shape), log)


def crps(quantiles, y, levels=LEVELS):
    """Returns the CRPS of each target: twice the mean pinball loss of its quantiles [targets, levels]."""
    e = y[:, None] - quantiles
    return 2 * np.maximum(levels * e, (levels - 1) * e).mean(1)


TAILS = 0.002  # the weight of two wide Gaussians, for targets unlike any in training
WIDE = np.array([3, 10])  # their deviations, in those of the training part's y


def tailed(mu, sigma, weight, y):
    """Returns mixtures of Gaussians [targets, K] with wide tails around the mean of y."""
    tail = np.ones((len(mu), 2))
    return gaussians(np.hstack([mu, tail * y.mean()]), np.hstack([sigma, tail * WIDE * y.std()]),
                     np.hstack([weight * (1 - TAILS), tail * TAILS / 2]))
