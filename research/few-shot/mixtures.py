"""Predictive distributions as quantiles.csv states them, and their scores.

A target of a quantile model has a mixture of asymmetric Laplace distributions,

    p(y) = Σ_k w_k τ_k (1 − τ_k) / σ_k · exp(−ρ_k(y − μ_k) / σ_k),  ρ_k(e) = max(τ_k e, (τ_k − 1) e);

one of a Gaussian model has a mixture of Gaussians N(μ_k, σ_k²).
"""
import math

import numpy as np


def padded(targets):
    """Returns the parts of targets as Mixtures takes them. With a kernel beside the network, targets
    have as many as points are near; parts of weight 0 fill them up."""
    most = max(map(len, targets))
    return np.array([parts + [[parts[0][0], 0, 1, 0]] * (most - len(parts)) for parts in targets])


class Mixtures:
    """One mixture for each target. parts [targets, components, 4] holds τ, μ, σ and w; τ is NaN for
    Gaussians."""

    def __init__(self, parts):
        self.tau, self.mu, self.sigma, self.weight = np.moveaxis(np.asarray(parts, float), -1, 0)
        self.gaussian = bool(np.isnan(self.tau).all())
        if not self.gaussian and np.isnan(self.tau).any():
            raise ValueError("some components have a level, others have none")

    def log_density(self, y):
        """Returns log p(y) of each target [targets]."""
        e = (np.asarray(y)[:, None] - self.mu) / self.sigma
        if self.gaussian:
            log = -e * e / 2 - np.log(self.sigma) - np.log(2 * np.pi) / 2
        else:
            log = np.log(self.tau) + np.log1p(-self.tau) - np.log(self.sigma) - np.maximum(self.tau * e, (self.tau - 1) * e)
        with np.errstate(divide="ignore"):  # a weight can be 0
            joint = log + np.log(self.weight)
        top = joint.max(axis=1, keepdims=True)
        return (top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True)))[:, 0]

    def cdf(self, y):
        """Returns P(Y ≤ y) of each target [targets]."""
        e = (np.asarray(y)[:, None] - self.mu) / self.sigma
        if self.gaussian:
            below = (1 + erf(e / np.sqrt(2))) / 2
        else:
            left = self.tau * np.exp((1 - self.tau) * np.minimum(e, 0))
            below = np.where(e < 0, left, 1 - (1 - self.tau) * np.exp(-self.tau * np.maximum(e, 0)))
        return (self.weight * below).sum(axis=1)

    def span(self):
        """Returns the median over targets of the largest τ minus the smallest; NaN for Gaussians."""
        return float(np.median(self.tau.max(axis=1) - self.tau.min(axis=1)))

    def crps(self, y):
        """Returns E|X − y| − E|X − X'| / 2 of each target [targets], for independent X and X'."""
        y = np.asarray(y)[:, None]
        near = (self.weight * self.distance(y)).sum(axis=1)
        spread = np.empty(len(near))
        for i in range(len(near)):  # pairs of components of one target at a time
            w, pairs = self.weight[i], self.pairs(i)
            spread[i] = w @ pairs @ w
        return near - spread / 2

    def distance(self, y):
        """Returns E|X_k − y| of each component."""
        if self.gaussian:
            return folded(y - self.mu, self.sigma)
        # With rates b right of μ and a left of it: E|X − y| = ∫_{t>y} P(X > t) + ∫_{t<y} P(X ≤ t).
        a, b = (1 - self.tau) / self.sigma, self.tau / self.sigma
        e = y - self.mu
        right = (1 - self.tau) / b * np.exp(-b * np.maximum(e, 0))  # ∫ P(X > t) over t > max(y, μ)
        left = self.tau / a * np.exp(a * np.minimum(e, 0))
        whole_right, whole_left = (1 - self.tau) / b, self.tau / a
        below = -e - (whole_left - left)  # ∫ P(X > t) over y < t < μ, for y < μ
        above = e - (whole_right - right)
        return np.where(e < 0, left + whole_right + below, right + whole_left + above)

    def pairs(self, i):
        """Returns E|X_j − X_k| of all components j, k of target i."""
        mu, sigma = self.mu[i], self.sigma[i]
        if self.gaussian:
            return folded(mu[:, None] - mu, np.hypot(sigma[:, None], sigma))
        # The integral of F_j (1 − F_k) + F_k (1 − F_j), for μ_j ≤ μ_k, in three parts. With F = τ exp(a(t − μ))
        # left of μ and S = 1 − F = (1 − τ) exp(−b(t − μ)) right of it, it is F_j + F_k − 2 F_j F_k left of μ_j,
        # 1 − S_j − F_k + 2 S_j F_k between, and S_j + S_k − 2 S_j S_k right of μ_k.
        order = np.argsort(mu, kind="stable")
        tau, a, b = self.tau[i][order], (1 - self.tau[i][order]) / sigma[order], self.tau[i][order] / sigma[order]
        j, k = np.triu_indices(len(order))
        d = mu[order][k] - mu[order][j]
        f = tau[k] * np.exp(-a[k] * d)  # F_k at μ_j
        s = (1 - tau[j]) * np.exp(-b[j] * d)  # S_j at μ_k
        left = tau[j] / a[j] + f / a[k] - 2 * tau[j] * f / (a[j] + a[k])
        right = s / b[j] + (1 - tau[k]) / b[k] - 2 * s * (1 - tau[k]) / (b[j] + b[k])
        # ∫ exp(−b_j t) exp(−a_k (d − t)) over 0 < t < d
        low, gap = np.minimum(b[j], a[k]), np.abs(b[j] - a[k])
        both = (1 - tau[j]) * tau[k] * np.exp(-low * d) * d * shrink(gap * d)
        between = d - (1 - tau[j] - s) / b[j] - (tau[k] - f) / a[k] + 2 * both
        out = np.empty((len(order), len(order)))
        out[order[j], order[k]] = out[order[k], order[j]] = left + between + right
        return out


def folded(mean, deviation):
    """Returns E|Z| for Z ~ N(mean, deviation²)."""
    z = mean / deviation
    return deviation * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * erf(z / np.sqrt(2))


def shrink(x):
    """Returns (1 − exp(−x)) / x, and 1 at 0."""
    return np.where(x > 1e-12, -np.expm1(-x) / np.maximum(x, 1e-12), 1)


try:
    from scipy.special import erf  # much faster
except ImportError:
    erf = np.vectorize(math.erf)
