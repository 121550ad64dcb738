"""Scores of predictive distributions: the same for rivals and for acqnp."""
import os
import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "few-shot"))
from mixtures import Mixtures, padded  # noqa: E402, F401


@dataclass
class Predictive:
    """One mixture for each target, of y or, with `log`, of log y."""
    mixtures: Mixtures
    log: bool = False

    def log_density(self, y):
        """Returns log p(y) of each target in raw units."""
        if self.log:
            return self.mixtures.log_density(np.log(y)) - np.log(y)
        return self.mixtures.log_density(y)

    def cdf(self, y):
        return self.mixtures.cdf(np.log(np.maximum(y, 1e-300)) if self.log else y)

    def crps(self, y):
        """Returns E|Y − y| − E|Y − Y'| / 2 of each target in raw units."""
        if not self.log:
            return self.mixtures.crps(y)
        if not self.mixtures.gaussian:
            return np.array([self.integrated(i, v) for i, v in enumerate(np.log(y))])
        m, s, w = self.mixtures.mu, self.mixtures.sigma, self.mixtures.weight
        near = (w * apart(m, s, np.log(y)[:, None], 0)).sum(1)
        pairs = apart(m[:, :, None], s[:, :, None], m[:, None], s[:, None])
        return near - np.einsum("ti,tij,tj->t", w, pairs, w) / 2

    def integrated(self, i, v, n=2000):
        """Returns ∫ (P(Y ≤ t) − [t ≥ y])² dt of target i with log y = v, by a sum over log t."""
        tau, mu, sigma, w = (getattr(self.mixtures, c)[i] for c in ("tau", "mu", "sigma", "weight"))
        low, high = min((mu - 15 * sigma / (1 - tau)).min(), v - 1), max((mu + 15 * sigma / tau).max(), v + 1)
        total = 0
        for t, above in ((np.linspace(low, v, n), 0), (np.linspace(v, high, n), 1)):
            one = np.broadcast_to(np.stack([tau, mu, sigma, w], -1), (n, len(tau), 4))
            total += np.trapezoid((Mixtures(one).cdf(t) - above)**2 * np.exp(t), t)
        return total


def apart(m, s, n, t):
    """Returns E|X − Y| for independent log X ~ N(m, s²) and log Y ~ N(n, t²)."""
    d = np.hypot(s, t)
    x, y = np.exp(m + s * s / 2), np.exp(n + t * t / 2)
    # E max(X − Y, 0) = x Φ(z + …) − y Φ(…); the other side follows by symmetry.
    return (x * ndtr((m - n + s * s) / d) - y * ndtr((m - n - t * t) / d)
            + y * ndtr((n - m + t * t) / d) - x * ndtr((n - m - s * s) / d))


def gaussians(mu, sigma, weight=None, log=False):
    """Returns mixtures of Gaussians; all arguments [targets] or [targets, components]."""
    mu, sigma = np.atleast_2d(np.asarray(mu, float).T).T, np.atleast_2d(np.asarray(sigma, float).T).T
    weight = np.full(mu.shape, 1 / mu.shape[1]) if weight is None else weight
    return Predictive(Mixtures(np.stack([np.full(mu.shape, np.nan), mu, sigma, weight], -1)), log)


def score(p, y, unit=0):
    """Returns the means over targets of the scores. Where y is counted in a unit, one is the logarithm of
    the probability of y: of the interval of a unit around it. It is never much higher for a narrow peak."""
    at = p.cdf(y)
    inside = lambda c: np.mean(abs(at - 0.5) <= c / 2)
    counted = np.log(np.maximum(p.cdf(y + unit / 2) - p.cdf(y - unit / 2), 1e-300)).mean() if unit else None
    return dict(log_density=p.log_density(y).mean(), log_probability=counted, crps=p.crps(y).mean(), cover50=inside(0.5), cover90=inside(0.9))
