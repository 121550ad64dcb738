"""Checks of the scores with quadrature, of the mixed model with published estimates, and of the table."""
import shutil

import numpy as np

import data
import table
from mixed import Form, Mixed
from scores import Mixtures, Predictive, gaussians


def run():
    """Runs all checks and returns the exit code."""
    r = np.random.default_rng(3)
    tau, mu, sigma, w = r.uniform(0.1, 0.9, (4, 3)), r.normal(0, 1, (4, 3)), r.uniform(0.2, 0.5, (4, 3)), r.dirichlet([1] * 3, 4)
    cases = {"asymmetric Laplaces": Predictive(Mixtures(np.stack([tau, mu, sigma, w], -1))), "Gaussians": gaussians(mu, sigma, w),
             "log asymmetric Laplaces": Predictive(Mixtures(np.stack([tau, mu / 2, sigma / 9, w], -1)), log=True),
             "log Gaussians": gaussians(mu / 2, sigma / 2, w, log=True)}
    failed = [name for name, p in cases.items() if not quadrature(name, p, r)]
    if not mixed():
        failed.append("mixed model")
    if not differences():
        failed.append("differences")
    print("failed: " + ", ".join(failed) if failed else "all checks passed")
    return len(failed) > 0


def quadrature(name, p, r):
    """Compares a distribution's cdf and CRPS with sums over a grid of its density alone."""
    y = r.uniform(0.5, 2, 4)
    t = np.linspace(1e-6 if p.log else -40, 60, 400001)
    step, worst = t[1] - t[0], 0
    for i in range(4):
        m = p.mixtures
        one = np.broadcast_to(np.stack([m.tau[i], m.mu[i], m.sigma[i], m.weight[i]], -1), (len(t), 3, 4))
        d = np.exp(Predictive(Mixtures(one), p.log).log_density(t))
        cdf = np.concatenate([[0], np.cumsum((d[1:] + d[:-1]) / 2) * step])
        crps = np.sum((cdf - (t >= y[i]))**2) * step
        worst = max(worst, abs(cdf[-1] - 1), abs(np.interp(y[i], t, cdf) - p.cdf(y)[i]), abs(crps - p.crps(y)[i]))
    print(f"{name}: largest difference from quadrature {worst:.1e}")
    return worst < 5e-4  # the grid's step is 2.5e-4


def mixed():
    """Compares the mixed model with lme4's published REML fit of sleepstudy, and its prediction with
    the conditional of the joint Gaussian, by brute force."""
    if not shutil.which("Rscript"):
        print("mixed model: not checked, because there is no Rscript for sleepstudy")
        return True
    s = data.SETS["sleepstudy"]
    f = data.group(s, [dict(zip([s.function] + s.x + [s.y], row)) for row in data.load(s)])
    m = Mixed(Form(1, 1, False, False), f)
    back = np.array([[1, -m.center[0] / m.scale[0]], [0, 1 / m.scale[0]]])  # to days
    G, beta = back @ m.G @ back.T, back @ m.beta
    got = [*beta, G[0, 0]**0.5, G[1, 1]**0.5, G[0, 1] / (G[0, 0] * G[1, 1])**0.5, m.noise**0.5]
    want = [251.405, 10.467, 24.741, 5.922, 0.066, 25.592]  # vignette of lme4, Bates et al. 2015
    error = max(abs(a - b) / max(abs(b), 1) for a, b in zip(got, want))
    print(f"mixed model: largest relative difference from lme4 {error:.1e}")
    return error < 1e-3


def differences():
    """Checks the paired differences of a table of results by hand. The rivals' splits differ by whole
    nats and the differences hardly, so an unpaired error would make the win and the loss ties."""
    rows = []
    for s, own in dict(won=(0.2, 1.3, 2.2), lost=(-0.2, 0.7, 1.8), tied=(0.1, 0.9, 2.0), single=(1,)).items():
        for k, v in enumerate(own):
            rows += [dict(set=s, split=str(k), model=m, log_density=str(d))
                     for m, d in (("acqnp", v), ("CatBoost", k), ("kernel density", k - 1))]
    got = table.versus(rows, ["won", "lost", "tied", "single"], "acqnp")
    # d = 0.2, 0.3, 0.2 has the mean 0.233, the deviation 0.0577 and the error 0.0577 / √3 = 0.033.
    want = ["| won | CatBoost | +0.233 ± 0.033 | 3 | win |", "| lost | CatBoost | −0.233 ± 0.033 | 3 | loss |",
            "| tied | CatBoost | +0.000 ± 0.058 | 3 | tie |", "", "Wins: 1, ties: 1, losses: 1."]
    print("differences: " + ("as by hand" if got[2:] == want else f"found {got[2:]}, want {want}"))
    return got[2:] == want
