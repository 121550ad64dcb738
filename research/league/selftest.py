"""Checks of exact densities by Monte Carlo, of scores by quadrature, of the mixed models by published
estimates and by the parameters of simulated sets, of the stack by a search, of the protocol, and of tables
by hand."""
import os
import shutil
import tempfile

import numpy as np
from scipy import stats
from scipy.optimize import minimize

import combine
import count_glmm
import data
import drawn
import intercepts
import mixed as mixed_model
import nested
import outcomes
import protocol
import report
import simulated
import tobit
from scores import LEVELS, Components, crps, gaussians


def run():
    """Runs all checks and returns the exit code."""
    checks = dict(exact=exact, drawn=drawn_exact, stated=stated, scores=quadrature, mixed=mixed, nested=two_levels, atoms=atoms, stack=stack, protocol=contexts, tables=tables)
    failed = [name for name, check in checks.items() if not check()]
    print("failed: " + ", ".join(failed) if failed else "all checks passed")
    return len(failed) > 0


def exact(draws=400_000):
    """Compares each exact density with the mean, over draws of a group's latent numbers, of the noise's
    density at the targets, weighted by that at three context points."""
    ok = True
    for name, s in simulated.SETS.items():
        r = np.random.default_rng(11)
        x = np.linspace(s.low, s.high, 7)[1:6] + 0.01
        loc, scale = s.latent(r, 1, x)
        y = loc[0] + scale[0] * s.noise.rvs(size=5, random_state=r)
        loc, scale = s.latent(r, draws, x)
        p = s.noise.pdf((y - loc) / scale) / scale
        w = p[:, :3].prod(1)
        want = (w[:, None] * p[:, 3:]).sum(0) / w.sum()
        error = np.sqrt((w[:, None]**2 * (p[:, 3:] - want)**2).sum(0)) / w.sum()
        got = np.exp(s.exact(x[:3], y[:3], x[3:]).log_density(y[3:]))
        free = np.exp(s.exact(x[:0], y[:0], x[3:]).log_density(y[3:])) / p[:, 3:].mean(0)
        far = (abs(got - want) / (error + 0.002 * want)).max()  # 4 errors, and 0.2% for the grids of quadrature
        print(f"{name}: {far:.1f} errors of Monte Carlo ({(error / want).max():.1%}) apart with context, {abs(free - 1).max():.1%} without")
        ok &= far < 4 and abs(free - 1).max() < 0.03
    return ok


def drawn_exact(draws=400_000):
    """Compares the exact answers of the kinds of drawn.py with means over draws of a group's hidden numbers,
    weighted by the likelihood of three context points and, where there are levels, of two of a sibling."""
    ok = True
    for name, kind in drawn.KINDS.items():
        r = np.random.default_rng(12)
        fit, new = kind.draw(r, 4, 4)
        old, task = next(iter(fit.items())), next(iter(new.items()))
        x, y = (v[[1, 7, 12, 3, 9, 15]] for v in task[1])
        one = protocol.Task(task[0], x[:3], y[:3], x[3:], y[3:])
        siblings = {old[0]: (old[1][0][:2], old[1][1][:2])} if name == "levels" else {}
        e = kind.effects(r, draws)
        w, p = kind.likelihood(e, one.cx, one.cy).prod(1), kind.likelihood(e, one.tx, one.ty)
        for sx, sy in siblings.values():
            w = w * kind.likelihood(e[:, ::-1], sx, sy).prod(1)
        want = w @ p / w.sum()
        error = np.sqrt((w[:, None]**2 * (p - want)**2).sum(0)) / w.sum()
        answer = kind.exact([one], protocol.Problem(siblings, False, (), kind.unit))
        got = np.exp(protocol.log_score(answer, one.ty, kind.unit)) * (kind.unit or 1)
        far = (abs(got - want) / (error + 1e-4 * want)).max()  # 1e-4 for the grid of quadrature
        print(f"sim-{name}: {far:.1f} errors of Monte Carlo ({(error / want).max():.1%}) apart")
        ok &= far < 4
    return ok


def stated():
    """Checks that the exact answers of drawn.py hold what they state, by the groups of five splits, within
    four errors: points of a group are of one draw."""
    worst = 0
    for name, kind in drawn.KINDS.items():
        inside = {}
        for k in range(5):
            problem, test = drawn.Drawn(kind, 20).split(k)
            for c, ts in test.items():
                away = abs(protocol.pits(kind.exact(ts, problem), protocol.stacked(ts), problem.unit) - 0.5)
                for a in np.split(away, np.cumsum([len(t.ty) for t in ts])[:-1]):
                    inside.setdefault(c, []).append([np.mean(a < 0.25), np.mean(a < 0.45)])
        for v in map(np.array, inside.values()):
            worst = max(worst, (abs(v.mean(0) - [0.5, 0.9]) / (v.std(0) / len(v)**0.5)).max())
    print(f"drawn: coverage within {worst:.1f} errors of what is stated")
    return worst < 4


def quadrature():
    """Compares cdf, quantiles and CRPS of distributions with sums over a grid of their density alone."""
    r, worst = np.random.default_rng(3), 0
    mu, sigma, w = r.normal(0, 1, (4, 3)), r.uniform(0.2, 0.5, (4, 3)), r.dirichlet([1] * 3, 4)
    cases = [gaussians(mu, sigma, w), gaussians(mu / 2, sigma / 2, w, log=True), Components(stats.t(5), mu, sigma, w)]
    y = r.uniform(0.5, 2, 4)
    for p in cases:
        t = np.linspace(1e-6 if p.log else -40, 60, 400001)
        step = t[1] - t[0]
        for i in range(4):
            one = Components(p.noise, *(np.broadcast_to(a[i], (len(t), 3)) for a in (p.loc, p.scale, p.weight)), p.log)
            d = np.exp(one.log_density(t))
            cdf = np.concatenate([[0], np.cumsum((d[1:] + d[:-1]) / 2) * step])
            want, q = np.sum((cdf - (t >= y[i]))**2) * step, p.quantiles()
            worst = max(worst, abs(cdf[-1] - 1), abs(np.interp(y[i], t, cdf) - p.cdf(y)[i]), abs(want - crps(q, y)[i]) / 4, abs(np.interp(q[i], t, cdf) - LEVELS).max() / 4)
    print(f"scores: largest difference from quadrature {worst:.1e}")
    return worst < 1e-3  # 200 quantiles; the bounds of CRPS and quantiles are four times as wide


def mixed():
    """Compares the mixed model with lme4's published estimates of sleepstudy (Bates et al. 2015)."""
    if not shutil.which("Rscript"):
        print("mixed model: not checked, because there is no Rscript for sleepstudy")
        return True
    m = mixed_model.Mixed(mixed_model.Form(1, 1, False, False), data.load("sleepstudy"))
    back = np.array([[1, -m.center[0] / m.scale[0]], [0, 1 / m.scale[0]]])  # to days
    G, beta = back @ m.G @ back.T, back @ m.beta
    got = [*beta, G[0, 0]**0.5, G[1, 1]**0.5, G[0, 1] / (G[0, 0] * G[1, 1])**0.5, m.noise**0.5]
    error = max(abs(a - b) / max(abs(b), 1) for a, b in zip(got, [251.405, 10.467, 24.741, 5.922, 0.066, 25.592]))
    print(f"mixed model: largest relative difference from lme4 {error:.1e}")
    return error < 1e-3


def two_levels():
    """Compares the nested mixed model with lme4's published estimates of Pastes (Bates, lme4, chapter 2):
    an intercept, and the deviations of batches, of casks and of the noise."""
    if not shutil.which("Rscript"):
        print("nested mixed model: not checked, because there is no Rscript for Pastes")
        return True
    script = "library(lme4); d <- with(Pastes, data.frame(g=paste0(batch, '/', cask), x=0, y=strength))"
    groups = {}
    for g, x, y in data.rows(data.Set("", ["x"], "y", script), "", ""):
        groups.setdefault(g, []).append((float(x), float(y)))
    groups = {g: (np.array(v)[:, :1], np.array(v)[:, 1]) for g, v in groups.items()}
    m = nested.Nested(protocol.Problem(groups, False, (), 0), False, 1)
    got = [m.beta[0], *np.exp(m.theta[:2]) * m.noise**0.5, m.noise**0.5]
    error = max(abs(a - b) / b for a, b in zip(got, [60.0533, 1.287, 2.904, 0.823]))
    print(f"nested mixed model: largest relative difference from lme4 {error:.1e}")
    return error < 2e-3  # lme4 prints three or four digits


def atoms():
    """Checks that tobit and count GLMM find the parameters of 200 groups, that the derivatives of their
    likelihoods are those of differences, and quantiles beside simulation."""
    problem = drawn.SETS["sim-zeros-200"].split(0)[0]
    x, y, names = problem.rows()
    X = np.column_stack([np.ones(len(x)), x])
    m = intercepts.Intercepts(tobit.Censored, X, y, names, [0, 0, 0, 0], 0)
    got = [(*m.b, m.width, np.exp(m.extra[0]))]
    want = [(-0.8, 2, 0.6, 0.5)]
    x, y, names = drawn.SETS["sim-counts-200"].split(0)[0].rows()
    m = intercepts.Intercepts(count_glmm.NegativeBinomial, np.column_stack([np.ones(len(x)), x]), y, names, [0, 0, 0, 0, -1], 0)
    got.append((*m.b, m.width, *np.exp(m.extra)))
    want.append((0.3, 1.2, 0.7, 3, 0.25))
    # The errors of 200 groups: 0.05 for intercepts, 0.04 for slopes, 0.04 for deviations, about 10% for size and odds.
    far = max(abs(a - b) / (0.05 + 0.1 * (b == 3)) for g, w in zip(got, want) for a, b in zip(g, w))
    eta, e, slopes = np.linspace(-2, 2, 9)[None], 1e-5, 0
    for family, extra in ((tobit.Censored, [0.3]), (count_glmm.NegativeBinomial, [0.4, -1.0]), (count_glmm.NegativeBinomial, [0.4])):
        for v in (0.0, 2.0):
            at = lambda i, h: family.terms(np.array([v]), eta + h * (i == 0), np.array(extra) + h * (np.arange(len(extra)) == i - 1))
            slopes = max([slopes] + [abs((at(i, e)[0] - at(i, -e)[0]) / (2 * e) - at(i, 0)[i + 1]).max() for i in range(len(extra) + 1)])
    r, w = np.random.default_rng(6), np.array([[0.3, 0.7]])
    which = r.choice(2, 400_000, p=w[0])
    v = np.array([-0.5, 0.4])[which] + 0.5 * r.normal(size=len(which))
    n = r.poisson(np.array([1.0, 30])[which] * r.gamma(3, 1 / 3, len(which))) * (r.uniform(size=len(which)) > 0.2)
    drawn_q = [np.quantile(np.maximum(v, 0)**2, LEVELS), np.quantile(n, LEVELS)]
    made = [outcomes.Floored(gaussians([[-0.5, 0.4]], [[0.5, 0.5]], w), 0.5), outcomes.Counts(np.array([[1.0, 30]]), w, 3, 0.2)]
    apart = max(abs(p.quantiles()[0] - q)[:196].max() / q.max() for p, q in zip(made, drawn_q))
    print(f"atoms: parameters within {far:.1f} errors, derivatives within {slopes:.0e}, quantiles within {apart:.1%} of the largest")
    return far < 4 and slopes < 1e-6 and apart < 0.02


def stack():
    """Compares the weights of the stack with those of a search, and the mixture with its parts."""
    log = np.random.default_rng(5).normal(0, 1, (80, 3))
    w = combine.weights(log, 5000)
    soft = lambda v: np.exp(v) / np.exp(v).sum()
    best = soft(minimize(lambda v: -np.log(np.exp(log) @ soft(v)).mean(), np.zeros(3), tol=1e-10).x)
    y, parts = np.array([0.3, 1.0]), []
    for m, s in ((0, 1), (2, 0.5)):
        p = gaussians(np.full(2, m), np.full(2, s))
        parts.append(dict(log_score=p.log_density(y), pit=p.cdf(y), quantiles=p.quantiles()))
    whole = gaussians(np.tile([0.0, 2.0], (2, 1)), np.tile([1, 0.5], (2, 1)), np.tile([0.3, 0.7], (2, 1)))
    got = combine.mixed(parts, y, np.array([0.3, 0.7]))
    far = [abs(a - b).max() for a, b in zip(got, (whole.log_density(y), crps(whole.quantiles(), y), whole.cdf(y)))]
    print(f"stack: weights within {abs(w - best).max():.1e}, mixture within {max(far):.1e}")
    return abs(w - best).max() < 1e-3 and max(far) < 3e-3


def contexts():
    """Checks that every group is held out once, that contexts are nested, and that they share no point
    with the targets."""
    r = np.random.default_rng(1)
    groups = {f"g{i}": (r.normal(size=(14, 1)), r.normal(size=14)) for i in range(12)}
    seen, ok = [], True
    for k in range(protocol.SPLITS):
        problem, tasks = protocol.split(groups, False, k)
        seen += [t.group for t in tasks[0]]
        for a, b in zip(tasks[3], tasks[10]):
            ok &= (a.cy == b.cy[:3]).all() and (a.ty == b.ty).all() and not set(b.cy) & set(b.ty) and a.group not in problem.groups
    ok &= sorted(seen) == sorted(groups) and list(tasks) == [0, 1, 3, 10]
    whole = {"": (np.arange(60.0)[:, None], np.arange(60) % 5.0)}
    problem, tasks = protocol.split(whole, True, 0)
    ok &= problem.unit == 1 and len(tasks["rest"][0].ty) == 12 and len(problem.groups[""][1]) == 48
    rising = 0.1 * np.arange(1, 40)
    ok &= abs(protocol.counted({"": (rising, np.r_[0, 0, 0, rising])}) - 0.1) < 1e-9 and protocol.counted({"": (rising, rising)}) == 0
    print("protocol: " + ("as described" if ok else "not as described"))
    return ok


def tables():
    """Checks the paired differences of a table by hand. The rivals' splits differ by whole nats and the
    differences hardly, so an unpaired error would make the loss a tie."""
    rows = []
    for s, own in dict(won=(0.2, 1.3, 2.2), lost=(-0.2, 0.7, 1.8), tied=(0.1, 0.9, 2.0), near=(-0.01, 0.99, 1.99)).items():
        for k, v in enumerate(own):
            rows += [dict(set=s, split=str(k), context="3", tool=t, log_score=str(d), crps_relative="0.5", cover50="0.5", cover90="0.9", fit_seconds="2", chosen="")
                     for t, d in (("acqnp fit", v), ("CatBoost", k), ("constant", k - 1))]
    r = report.Results(rows)
    got = report.losses(r, "acqnp fit")
    # d = 0.2, 0.3, 0.2 has the mean 0.233, the deviation 0.0577 and the error 0.0577 / √3 = 0.033.
    want = ["| lost | CatBoost | **−0.233 ± 0.033** | constant | +0.767 ± 0.033 |  |  | 3 |"]
    text = "\n".join(got)
    ok = [l for l in got if l.startswith("| ") and "±" in l] == want
    ok &= "3 of 4 sets" in text and "1 wins, 1 ties, 2 losses" in text and "2.0 s" in text
    with tempfile.TemporaryDirectory() as d:
        os.makedirs(os.path.join(d, "league"))
        with open(os.path.join(d, "league", "results.csv"), "w", newline="") as f:
            w = report.csv.DictWriter(f, list(rows[0]))
            w.writeheader()
            w.writerows(rows)
        report.write(os.path.join(d, "league"))
        page = open(os.path.join(d, "league.md")).read()
        ok &= page.index("| lost |") < page.index("## Ranks") and os.path.getsize(os.path.join(d, "league", "differences.svg")) > 1000
    print("tables: " + ("as by hand" if ok else "found\n" + text))
    return ok
