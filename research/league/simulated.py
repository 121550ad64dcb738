"""Simulated sets whose posterior predictive density is known: closed forms, enumeration, quadrature.

A set says how a group's locations and scales are drawn (`latent`), and what the noise is. From the
same words come the data, the exact answer of quadrature, and the self-test's Monte Carlo.
"""
from dataclasses import dataclass
from typing import Callable

import numpy as np
from scipy import stats

from scores import Components

NORMAL, T3, SKEW = stats.norm, stats.t(3), stats.gamma(2, loc=-2)
STRAY = stats.exponnorm(0.05 / 0.06)  # of the logarithm of prices, in units of 0.06


@dataclass
class Simulated:
    latent: Callable  # (random, n, x [p]) → locations [n, p], scales [n, p]
    exact: Callable  # (context x, y, target x) → the predictive distribution of the targets
    noise: object = NORMAL
    groups: int = 60
    points: int = 15
    low: float = 0
    high: float = 1
    grid: bool = False  # the same x for all groups
    prices: bool = False  # exp and whole numbers

    def data(self, seed=1):
        r, out = np.random.default_rng([seed, 7]), {}
        for g in range(self.groups):
            x = np.linspace(self.low, self.high, self.points) if self.grid else np.sort(r.uniform(self.low, self.high, self.points)).round(3)
            loc, scale = self.latent(r, 1, x)
            y = loc[0] + scale[0] * self.noise.rvs(size=len(x), random_state=r)
            out[f"g{g:03d}"] = (x[:, None], np.exp(y).round() if self.prices else y)
        return out

    def answer(self, tasks, problem=None):
        """Returns the exact predictive distributions of all targets."""
        inner = np.log if self.prices else lambda v: v
        return Components.joined([self.exact(t.cx[:, 0], inner(t.cy), t.tx[:, 0]) for t in tasks], self.prices)


def gaussian_parts(parts):
    """Returns the exact answer where a group is one of several Gaussian processes with probabilities:
    parts are (weight, mean(x), covariance(x, x'), noise variance(x))."""
    def exact(cx, cy, tx):
        log, mean, sd = [], [], []
        for w, m, k, v in parts:
            M, C = m(tx), k(tx, tx).diagonal() + v(tx)
            evidence = np.log(w)
            if len(cx):
                K, B = k(cx, cx) + np.diag(v(cx)), k(tx, cx)
                evidence += stats.multivariate_normal(m(cx), K, allow_singular=True).logpdf(cy)
                A = np.linalg.solve(K, B.T).T
                M, C = M + A @ (cy - m(cx)), C - (A * B).sum(1)
            log.append(evidence), mean.append(M), sd.append(np.sqrt(C))
        w = np.exp(np.array(log) - np.max(log))
        return Components(NORMAL, np.array(mean).T, np.array(sd).T, np.tile(w / w.sum(), (len(tx), 1)))
    return exact


def nodes(location, weight, scale, noise, points=None):
    """Returns the exact answer where, given a node of a grid, points are independent: location(x)
    [nodes, p, kinds], weight [nodes], and points [nodes, kinds], the probability of each kind of a point."""
    def exact(cx, cy, tx):
        log, kinds = np.log(weight), points if points is not None else np.ones((len(weight), 1))
        for x, y in zip(cx, cy):
            z = (y - location(np.array([x]))[:, 0]) / scale
            log = log + np.log((kinds * noise.pdf(z)).sum(1) / scale + 1e-300)
        w = np.exp(log - log.max())
        keep = w > 1e-5
        w, at = w[keep] / w[keep].sum(), location(tx)[keep]  # [kept, targets, kinds]
        loc = at.transpose(1, 0, 2).reshape(len(tx), -1)
        return Components(noise, loc, np.full(loc.shape, scale), np.tile((w[:, None] * kinds[keep]).ravel(), (len(tx), 1)))
    return exact


def rbf(height, length):
    return lambda a, b: height**2 * np.exp(-(a[:, None] - b)**2 / (2 * length**2))


def added(*kernels):
    return lambda a, b: sum(k(a, b) for k in kernels)


def line(a, b, c):
    return lambda s, t: a + c * (s[:, None] + t) + b * s[:, None] * t


def drawn(parts):
    """Returns a latent of the same parts as gaussian_parts, without its noise."""
    def latent(r, n, x):
        which = r.choice(len(parts), n, p=[p[0] for p in parts])
        loc, scale = np.empty((n, len(x))), np.empty((n, len(x)))
        for i, (_, m, k, v) in enumerate(parts):
            at = which == i
            L = np.linalg.cholesky(k(x, x) + 1e-9 * np.eye(len(x)))
            loc[at], scale[at] = m(x) + r.normal(size=(at.sum(), len(x))) @ L.T, np.sqrt(v(x))
        return loc, scale
    return latent


def of_parts(parts, **more):
    return Simulated(drawn(parts), gaussian_parts(parts), **more)


def noise(s):
    return lambda x: np.full(len(x), s**2)


def shifted(slope, sd, scale, dist):
    """Groups with a normal intercept and independent noise of any shape; quadrature over the intercept."""
    z = np.linspace(-6, 6, 1201)
    w = stats.norm.pdf(z)
    return Simulated(lambda r, n, x: (slope(x) + sd * r.normal(size=(n, 1)), np.full((n, len(x)), scale)),
                     nodes(lambda x: (slope(x) + sd * z[:, None])[:, :, None], w / w.sum(), scale, dist), dist)


def scaled():
    """Groups with an intercept and a scale of the noise of their own, which also grows with x:
    quadrature over the logarithm of the scale, closed form over the intercept."""
    z = np.linspace(-5, 5, 81)
    w = stats.norm.pdf(z)
    grown = lambda x: 0.15 * np.exp(1.5 * x)
    mean, k = lambda x: np.sin(4 * x), line(0.5, 0, 0)
    parts = [(wi, mean, k, lambda x, s=np.exp(0.5 * zi): (s * grown(x))**2) for zi, wi in zip(z, w / w.sum())]
    def latent(r, n, x):
        s = np.exp(0.5 * r.normal(size=(n, 1)))
        return mean(x) + np.sqrt(0.5) * r.normal(size=(n, 1)), s * grown(x)
    return Simulated(latent, gaussian_parts(parts))


def prices():
    """The prices of `acqnp data example`, with 40 sales of each product."""
    middle = lambda low, high, n: low + (high - low) * (np.arange(n) + 0.5) / n
    p, l, s = (a.ravel() for a in np.meshgrid(middle(300, 600, 40), middle(0.1, 0.3, 40), middle(0.35, 0.65, 3), indexing="ij"))
    dear = np.array([0, np.log(1.7)])
    def latent(r, n, x):
        new, loss, share = r.uniform(300, 600, (n, 1)), r.uniform(0.1, 0.3, (n, 1)), r.uniform(0.35, 0.65, (n, 1))
        return np.log(new) - loss * x + dear[1] * (r.uniform(size=(n, len(x))) < share), np.full((n, len(x)), 0.06)
    at = lambda x: (np.log(p)[:, None] - l[:, None] * x)[:, :, None] + dear
    return Simulated(latent, nodes(at, np.full(len(p), 1 / len(p)), 0.06, STRAY, np.stack([1 - s, s], 1)), STRAY, 60, 40, 0.2, 6, prices=True)


zero = lambda x: np.zeros(len(x))
wave = lambda x: np.sin(6 * x)
SETS = {
    "sim-lines": of_parts([(1, lambda x: 2 + x, line(1, 0.8, 0.3), noise(0.3))]),
    "sim-gp": of_parts([(1, wave, added(rbf(0.8, 0.25), line(0.3, 0, 0)), noise(0.15))]),
    "sim-curves": of_parts([(1, wave, added(rbf(0.6, 0.08), rbf(0.6, 0.5)), noise(0.1))], grid=True, points=24),
    "sim-classes": of_parts([(0.5, lambda x: 2 * x, line(0.1, 0.1, 0), noise(0.2)), (0.5, lambda x: 1 - 2 * x, line(0.1, 0.1, 0), noise(0.4))]),
    "sim-skew": shifted(lambda x: 2 * x, 1, 0.3, SKEW),
    "sim-tails": shifted(lambda x: 2 * x, 1, 0.2, T3),
    "sim-scales": scaled(),
    "sim-prices": prices(),
}
