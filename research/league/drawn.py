"""Simulated sets whose every split is drawn anew: a few groups to fit, NEW others to predict, and the exact
predictive distribution given the parameters, in closed form or by quadrature. The splits of a set share
nothing, so the errors of their differences are honest.

A kind says how a group's hidden numbers are drawn (`effects`), how likely y is given them (`likelihood`, a
density, or the probability of the unit), and how y is drawn. The exact answer is written apart from these, and
--self-test compares them by Monte Carlo.
"""
from dataclasses import dataclass

import numpy as np
from scipy.stats import nbinom, norm

from outcomes import Counts, Floored
from protocol import Problem, sizes_of, tasks
from scores import gaussians

NEW, POINTS = 30, 20  # groups to predict of each split, rows of a group
GRID = np.linspace(-5, 5, 401)  # of a normal intercept, in its deviation
WEIGHT = norm.pdf(GRID) / norm.pdf(GRID).sum()


@dataclass
class Drawn:
    kind: object
    groups: int  # to fit

    def split(self, k):
        """Returns the Problem of split k and its tasks, {size: [Task]}."""
        r = np.random.default_rng([20261127, self.groups, k, *self.kind.__name__.encode()])
        fit, new = self.kind.draw(r, self.groups, NEW)
        return Problem(fit, False, sizes_of(fit), self.kind.unit, k), tasks(fit, new, sizes_of(fit), k)

    def data(self):
        """Returns the groups of split 0 that are fitted."""
        return self.split(0)[0].groups

    def answer(self, ts, problem):
        """Returns the exact predictive distributions of all targets."""
        return self.kind.exact(ts, problem)


class Kind:
    """A kind with independent groups. A subclass has unit, columns(r) → x, effects(r, n) → [n, numbers], mean(effects, x)
    → [n, rows], likelihood(effects, x, y) → [n, rows], noisy(r, mean) → y, and exact(tasks, problem)."""
    unit, formula = 0.0, "y ~ x | group"

    @classmethod
    def draw(cls, r, groups, new):
        made = {f"g{g:03d}": cls.group(r) for g in range(groups + new)}
        return dict(list(made.items())[:groups]), dict(list(made.items())[groups:])

    @classmethod
    def group(cls, r):
        x = cls.columns(r)
        return x, cls.noisy(r, cls.mean(cls.effects(r, 1), x)[0])

    @classmethod
    def columns(cls, r):
        return np.sort(r.uniform(0, 1, POINTS)).round(3)[:, None]

    @classmethod
    def effects(cls, r, n):
        return r.normal(size=(n, 1))

    @classmethod
    def on_grid(cls, ts):
        """Returns the means of all targets on the grid of the intercept, and the grid's probabilities given the
        contexts, both [targets, grid]."""
        mean, weight = [], []
        for t in ts:
            w = WEIGHT * np.exp(np.log(cls.likelihood(GRID[:, None], t.cx, t.cy) + 1e-300).sum(1))
            mean.append(cls.mean(GRID[:, None], t.tx).T)
            weight.append(np.tile(w / w.sum(), (len(t.tx), 1)))
        return np.concatenate(mean), np.concatenate(weight)


class Zeros(Kind):
    """A tobit model: y = max(0, v), in tenths, about 40% zeros."""
    unit, s = 0.1, 0.5

    @classmethod
    def mean(cls, effects, x):
        return 2 * x[:, 0] - 0.8 + 0.6 * effects[:, :1]

    @classmethod
    def noisy(cls, r, mean):
        return np.maximum(mean + cls.s * r.normal(size=len(mean)), 0).round(1)

    @classmethod
    def likelihood(cls, effects, x, y):
        at = lambda v: norm.cdf((v - cls.mean(effects, x)) / cls.s)
        return at(y + cls.unit / 2) - np.where(y < cls.unit / 2, 0, at(y - cls.unit / 2))

    @classmethod
    def exact(cls, ts, problem):
        mean, weight = cls.on_grid(ts)
        return Floored(gaussians(mean, np.full(mean.shape, cls.s), weight))


class WholeNumbers(Kind):
    """A negative binomial of size 3 with a fifth of zeros more."""
    unit, size, more = 1.0, 3.0, 0.2

    @classmethod
    def mean(cls, effects, x):
        return np.exp(0.3 + 1.2 * x[:, 0] + 0.7 * effects[:, :1])

    @classmethod
    def noisy(cls, r, mean):
        return r.poisson(mean * r.gamma(cls.size, 1 / cls.size, len(mean)) * (r.uniform(size=len(mean)) >= cls.more)).astype(float)

    @classmethod
    def likelihood(cls, effects, x, y):
        return cls.more * (y == 0) + (1 - cls.more) * nbinom.pmf(y, cls.size, cls.size / (cls.size + cls.mean(effects, x)))

    @classmethod
    def exact(cls, ts, problem):
        return Counts(*cls.on_grid(ts), cls.size, cls.more)


class Gaussian(Kind):
    """A kind of which all is Gaussian: a group's rows have center(x), and covariance(x, x') and noise variance(x)."""

    @classmethod
    def exact(cls, ts, problem):
        mean, sd = [], []
        for t in ts:
            m, v = cls.center(t.tx), cls.covariance(t.tx, t.tx).diagonal() + cls.variance(t.tx)
            if len(t.cy):
                V, K = cls.covariance(t.cx, t.cx) + np.diag(cls.variance(t.cx)), cls.covariance(t.tx, t.cx)
                B = np.linalg.solve(V, K.T).T
                m, v = m + B @ (t.cy - cls.center(t.cx)), v - (B * K).sum(1)
            mean.append(m), sd.append(np.sqrt(v))
        return gaussians(np.concatenate(mean), np.concatenate(sd))

    @classmethod
    def likelihood(cls, effects, x, y):
        return norm.pdf(y, cls.mean(effects, x), np.sqrt(cls.variance(x)))


class Days(Gaussian):
    """Days of 24 hourly readings. The morning's peak and the evening's vary for themselves, a high one with a low
    one; nights hardly vary, and readings of the day are noisier: no stationary kernel says this."""
    peaks = staticmethod(lambda h: np.stack([np.exp(-((h - 8) / 2)**2 / 2), np.exp(-((h - 18) / 3)**2 / 2), np.ones(len(h)) * 0.2], 1))
    G = np.array([[1.0, -0.5, 0], [-0.5, 0.8, 0], [0, 0, 1]])

    @classmethod
    def columns(cls, r):
        return np.arange(24.0)[:, None]

    @classmethod
    def center(cls, x):
        return cls.peaks(x[:, 0]) @ [2, 3, 5]

    @classmethod
    def covariance(cls, x, other):
        return cls.peaks(x[:, 0]) @ cls.G @ cls.peaks(other[:, 0]).T

    @classmethod
    def variance(cls, x):
        return (0.1 + 0.2 * cls.peaks(x[:, 0])[:, :2].sum(1))**2

    @classmethod
    def effects(cls, r, n):
        return r.normal(size=(n, 3)) @ np.linalg.cholesky(cls.G).T

    @classmethod
    def mean(cls, effects, x):
        return cls.center(x) + effects @ cls.peaks(x[:, 0]).T

    @classmethod
    def group(cls, r):
        x = cls.columns(r)
        return x, cls.mean(cls.effects(r, 1), x)[0] + np.sqrt(cls.variance(x)) * r.normal(size=len(x))


class Missing(Gaussian):
    """Two columns, of which the second follows the first and is missing in a third of the rows, more often where
    the first is high."""
    formula, own = "y ~ a + b | group", 0.5  # own: the deviation of b given a

    @classmethod
    def group(cls, r):
        a = r.uniform(-1, 1, POINTS).round(3)
        b = (a + cls.own * r.normal(size=POINTS)).round(3)
        y = 1 + a + 1.5 * b + 0.7 * r.normal() + 0.3 * r.normal(size=POINTS)
        return np.stack([a, np.where(r.uniform(size=POINTS) < 0.33 + 0.25 * a, np.nan, b)], 1), y

    @classmethod
    def center(cls, x):
        return 1 + x[:, 0] + 1.5 * np.where(np.isnan(x[:, 1]), x[:, 0], x[:, 1])

    @classmethod
    def covariance(cls, x, other):
        return np.full((len(x), len(other)), 0.7**2)

    @classmethod
    def variance(cls, x):
        return 0.3**2 + np.isnan(x[:, 1]) * (1.5 * cls.own)**2

    @classmethod
    def columns(cls, r):
        return cls.group(r)[0]

    @classmethod
    def mean(cls, effects, x):
        return cls.center(x) + 0.7 * effects[:, :1]


class Levels(Gaussian):
    """Classes of schools, four of each (two of four). The new classes are each of another school, the first ten of
    known ones where there are as many."""
    formula, school, line, s = "y ~ x | school/class", 0.8, 0.5, 0.4

    @classmethod
    def draw(cls, r, groups, new):
        each = 4 if groups > 4 else 2
        schools = {f"s{i:03d}": cls.school * r.normal() for i in range(groups // each + new)}
        known, fresh = list(schools)[:groups // each], list(schools)[groups // each:]
        name = lambda s, c: (f"{s}/c{c}", cls.one(r, schools[s]))
        fit = dict(name(s, c) for s in known for c in range(each))
        at = (known[:10] + fresh)[:new]
        return fit, dict(name(s, each) for s in at)

    @classmethod
    def one(cls, r, school):
        x = cls.columns(r)
        return x, cls.center(x) + school + cls.line * r.normal() + cls.s * r.normal(size=len(x))

    @classmethod
    def center(cls, x):
        return 1 + np.sin(3 * x[:, 0])

    @classmethod
    def variance(cls, x):
        return np.full(len(x), cls.s**2)

    @classmethod
    def effects(cls, r, n):
        """Returns the sums of school and class of a class and of a sibling."""
        a = cls.school * r.normal(size=(n, 1))
        return a + cls.line * r.normal(size=(n, 2))

    @classmethod
    def mean(cls, effects, x):
        return cls.center(x) + effects[:, :1]

    @classmethod
    def exact(cls, ts, problem):
        """Returns the answer given a class's context and all rows of its school that are fitted."""
        mean, sd = [], []
        for t in ts:
            rows = [(x, y) for name, (x, y) in problem.groups.items() if name.rpartition("/")[0] == t.group.rpartition("/")[0]] + [(t.cx, t.cy)]
            of = np.repeat(np.arange(len(rows)), [len(y) for _, y in rows])
            x, y = (np.concatenate(p) for p in zip(*rows))
            m, v = cls.center(t.tx), np.full(len(t.tx), cls.school**2 + cls.line**2 + cls.s**2)
            if len(y):
                V = cls.school**2 + cls.line**2 * (of[:, None] == of) + cls.s**2 * np.eye(len(y))
                b = np.linalg.solve(V, cls.school**2 + cls.line**2 * (of == len(rows) - 1))
                m, v = m + b @ (y - cls.center(x)), v - b @ (cls.school**2 + cls.line**2 * (of == len(rows) - 1))
            mean.append(m), sd.append(np.sqrt(v))
        return gaussians(np.concatenate(mean), np.concatenate(sd))


KINDS = {"zeros": Zeros, "counts": WholeNumbers, "days": Days, "levels": Levels, "missing": Missing}
SETS = {f"sim-{name}-{n}": Drawn(kind, n) for name, kind in KINDS.items() for n in (4, 20, 200)}
