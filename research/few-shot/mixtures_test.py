#!/usr/bin/python3
"""Tests the scores with quadrature: python3 research/few-shot/mixtures_test.py"""
import unittest

import numpy as np

from mixtures import Mixtures


def draw(gaussian, targets=6, components=5):
    r = np.random.default_rng(7)
    tau = r.uniform(0.05, 0.95, (targets, components))
    tau[:, 1] = tau[:, 0]
    mu, sigma = r.normal(0, 1, tau.shape), r.uniform(0.05, 0.5, tau.shape)
    mu[:, 2], sigma[:, 1] = mu[:, 3], sigma[:, 0]  # equal locations; equal rates
    weight = r.dirichlet(np.ones(components), targets)
    return np.stack([np.full_like(tau, np.nan) if gaussian else tau, mu, sigma, weight], axis=-1), r.normal(0, 2, targets)


class TestMixtures(unittest.TestCase):
    def check(self, gaussian):
        parts, y = draw(gaussian)
        m = Mixtures(parts)
        t = np.linspace(-60, 60, 600001)  # the error of the sums is about the square of the step, 2e-4
        for i, crps in enumerate(m.crps(y)):
            at = Mixtures(np.repeat(parts[i:i + 1], len(t), axis=0)) if gaussian else None
            p = np.exp((at or Mixtures(np.broadcast_to(parts[i], (len(t),) + parts[i].shape))).log_density(t))
            step = t[1] - t[0]
            cdf = np.concatenate([[0], np.cumsum((p[1:] + p[:-1]) / 2) * step])
            self.assertAlmostEqual(cdf[-1], 1, delta=1e-4)
            want = np.sum((cdf - (t >= y[i]))**2) * step
            self.assertAlmostEqual(crps, want, delta=5e-4)
            p0 = m.log_density(y)[i]
            self.assertAlmostEqual(m.cdf(y)[i], np.interp(y[i], t, cdf), delta=1e-4)
            self.assertAlmostEqual(p0, np.log(np.interp(y[i], t, p)), delta=1e-3)

    def test_laplace(self):
        self.check(False)

    def test_gaussian(self):
        self.check(True)


if __name__ == "__main__":
    unittest.main()
