"""The predictive distributions of several rows."""

import functools
import math
import statistics

import numpy as np

from . import _cells

try:
    from scipy.special import ndtr as _normal
except ImportError:
    _erfc = np.frompyfunc(math.erfc, 1, 1)

    def _normal(z):
        return _erfc(-np.asarray(z) / math.sqrt(2)).astype(float) / 2


LEVELS = 100  # of rows that do not share them: of more, the program would compute most for other rows


class Distribution:
    """The predictive distribution of each of n rows, with the names of scipy.stats.

    Every y, and every level of ppf, is a number, an array [n], or one whose last axis is that of the rows:
    ``d.ppf([[0.1], [0.9]])`` has the shape [2, n]. ``d[3]`` and ``d[rows]`` are distributions of fewer rows.

    cdf, sf, prob, ppf, median, interval and region are calibrated, as those of the command line are. pdf,
    logpdf, mean, std, var, modes and rvs are those of the mixture itself, and ``d.raw()`` has the mixture's of
    all. Rows without a group give NaN.
    """

    def __init__(self, ask, rows, levels, like=None):
        # ask(rows, *flags) returns what predict writes of the rows. levels are the calibrations, and
        # the least number of known points that each is for; None for raw. like is the table of the rows.
        self._ask, self._rows, self._levels, self._like, self._loaded = ask, np.asarray(rows, dtype=int), levels, like, None

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, rows):
        at = np.atleast_1d(np.arange(len(self))[rows])
        like = self._like.iloc[at] if hasattr(self._like, "iloc") else None
        picked = Distribution(self._ask, self._rows[at], self._levels, like)
        if self._loaded is not None:
            picked._loaded = [self._loaded[i] for i in at]
        return picked

    def __repr__(self):
        return f"<acqnp.Distribution of {len(self)} row{'s' * (len(self) != 1)}{', raw' * (self._levels is None)}>"

    def raw(self):
        """Return the distribution without calibration."""
        plain = Distribution(self._ask, self._rows, None, self._like)
        plain._loaded = self._loaded
        return plain

    # Numbers that the program computes

    def _answers(self, *flags):
        return self._ask(self._rows, *(["--raw"] if self._levels is None else []), *flags)

    def _load(self):
        if self._loaded is None:
            self._loaded = self._answers("--quantiles=", "--hdr=", "--components")
        return self._loaded

    def _column(self, name):
        return np.array([np.nan if row is None or row[name] is None else row[name] for row in self._load()], dtype=float)

    def mean(self):
        return self._column("mean")

    def std(self):
        return self._column("sd")

    def var(self):
        return self.std() ** 2

    def ppf(self, q):
        """Return the quantiles of levels q in (0, 1).

        The program computes them, and NumPy from the mixture's parts if more than 100 rows have levels of their own.
        """
        q = self._spread(q)
        levels, at = np.unique(q, return_inverse=True)
        if len(levels) > LEVELS and len(levels) * len(self) > 2 * q.size:
            quantile_flags(levels)  # which refuses some
            return self._inverted(q)
        asked = np.array_split(levels, 1 + len(levels) // 1000)  # a command line has an end
        found = np.hstack([quantiles(self._answers(*quantile_flags(some)), len(some)) for some in asked])
        return found[np.broadcast_to(np.arange(len(self)), q.shape), at.reshape(q.shape)]

    def isf(self, q):
        return self.ppf(1 - np.asarray(q, dtype=float))

    def median(self):
        return self.ppf(0.5)

    def interval(self, confidence=0.9):
        """Return the lower and the upper bound of the central interval."""
        return tuple(self.ppf([[(1 - confidence) / 2], [(1 + confidence) / 2]]))

    def region(self, mass=0.9):
        """Return the smallest set of y that holds this probability, of each row: [intervals, 2]."""
        rows = self._answers("--quantiles=", "--hdr", repr(float(mass)))
        return [np.empty((0, 2)) if r is None else np.array(list(r.values())[-1], dtype=float) for r in rows]

    def modes(self):
        """Return the peaks of the density of each row, the highest first."""
        rows = self._answers("--quantiles=", "--hdr=", "--modes")
        return [np.empty(0) if r is None else np.array(r["modes"], dtype=float) for r in rows]

    # Numbers that follow from the parts of the mixture

    def _spread(self, y):
        _cells.check_index(X=self._like, values=y)
        y = np.asarray(y, dtype=float)
        return np.broadcast_to(y, np.broadcast_shapes(y.shape, (len(self),)))

    @functools.cached_property
    def _parts(self):
        """Return the parts of all rows one after another, and where each row begins."""
        none = {"mu": [np.nan], "sigma": [np.nan], "weight": [np.nan]}
        rows = [none if r is None else r["components"] for r in self._load()]
        counts = [len(r["mu"]) for r in rows]
        mu, sigma, weight = (np.concatenate([r[k] for r in rows] or [[]]).astype(float) for k in ("mu", "sigma", "weight"))
        log, root = (np.concatenate([r.get(k) or [False] * n for r, n in zip(rows, counts)] or [[]]).astype(bool) for k in ("log", "root"))
        return mu, sigma, weight, log + 2 * root, np.repeat(np.arange(len(rows)), counts), np.concatenate([[0], np.cumsum(counts)])[:-1]

    def _values(self):
        """Return the least and the greatest y of each row, and whether values are whole numbers."""
        parts = [{} if r is None else r["components"] for r in self._load()]
        ends = (np.array([end if p.get(k) is None else p[k] for p in parts], dtype=float) for k, end in (("low", -np.inf), ("high", np.inf)))
        return *ends, np.array([bool(p.get("whole")) for p in parts])

    def _standardised(self, y):
        """Return (z − μ)/σ of each part, for the z that y is on the part's scale, and z."""
        mu, sigma, weight, scale, row, first = self._parts
        y = self._spread(y)[..., row]
        with np.errstate(all="ignore"):
            logs, roots = np.where(y > 0, np.log(y), -np.inf), np.copysign(np.sqrt(np.abs(y)), y)
            z = np.where(scale == 1, logs, np.where(scale == 2, roots, y))
            return (z - mu) / sigma, z

    def logpdf(self, y):
        """Return the log density, of y with a probability of its own the log probability."""
        mu, sigma, weight, scale, row, first = self._parts
        low, high, whole = self._values()
        y = self._spread(y)
        z, at = self._standardised(y)
        with np.errstate(all="ignore"):
            slope = np.where(scale == 1, at, np.where(scale == 2, np.log(2 * np.abs(at)), 0))
            joint = np.log(weight) - z * z / 2 - np.log(sigma) - math.log(2 * math.pi) / 2 - slope
            joint = np.where(np.isneginf(z), -np.inf, joint)
            top = np.maximum.reduceat(joint, first, axis=-1)
            total = np.add.reduceat(np.exp(joint - np.where(np.isfinite(top), top, 0)[..., row]), first, axis=-1)
            density = np.where(np.isfinite(top), top + np.log(total), top)
            atom = np.log(np.maximum(self._mass(y, 1) - self._below(y), self._below(y, -1) - self._mass(y, -1)))
            outside = (y < low) | (y > high) | whole & (y != np.trunc(y))
            return np.where(outside, -np.inf, np.where(whole | (y == low) | (y == high), atom, density))

    def pdf(self, y):
        return np.exp(self.logpdf(y))

    def _normals(self, y, sign):
        _, _, weight, _, _, first = self._parts
        return np.minimum(np.add.reduceat(weight * _normal(sign * self._standardised(y)[0]), first, axis=-1), 1)

    def _mass(self, y, sign):
        """Return P(Y ≤ y) or, if sign is −1, P(Y > y)."""
        (low, high, whole), y = self._values(), self._spread(y)
        inside = self._normals(np.where(whole, np.floor(y) + 0.5, y), sign)
        return np.where(y < low, sign < 0, np.where(y >= high, sign > 0, inside))

    def _below(self, y, sign=1):
        """Return P(Y < y) or, if sign is −1, P(Y ≥ y)."""
        (low, high, whole), y = self._values(), self._spread(y)
        inside = self._normals(np.where(whole, np.ceil(y) - 0.5, y), sign)
        return np.where(y <= low, sign < 0, np.where(y > high, sign > 0, inside))

    def cdf(self, y):
        return self._answered(y, *self._calibrated(y, self._mass(y, 1), below))

    def sf(self, y):
        """Return P(Y > y)."""
        return self._answered(y, *self._calibrated(y, self._mass(y, -1), above))

    def prob(self, above=None, upto=None):
        """Return P(above < Y ≤ upto): prob(above=500) is the probability of more than 500."""
        if above is None:
            return self._spread(1.0).copy() if upto is None else self.cdf(upto)
        if upto is None:
            return self.sf(above)
        (p, beyond), (q, before) = (self._calibrated(y, self._mass(y, 1), below) for y in (upto, above))
        return self._answered(upto, np.maximum(p - q, 0), beyond & before)  # one tail alone changes little

    def _answered(self, y, p, tail):
        """Return the probabilities p. The program has the line that warns of those in a tail."""
        if tail.any():
            self._answers("--quantiles=", "--hdr=", f"--exceed={float(np.broadcast_to(self._spread(y), tail.shape)[tail][0])!r}")
        return p

    def _calibrations(self):
        """Return the levels of all calibrations, and which of them each row has."""
        levels, known_from = self._levels
        known = [0 if r is None else r["known_fit"] + r["known_context"] for r in self._load()]
        return levels, np.maximum(np.searchsorted(known_from, known, side="right") - 1, 0)

    def _calibrated(self, y, p, of):
        """Return what the calibration makes of the probabilities p of y, as the program does, and which of them lie in a tail
        beyond it. of is below or above."""
        if self._levels is None:
            return p, np.zeros(np.shape(p), dtype=bool)
        (levels, which), found = self._calibrations(), np.array(p, dtype=float)
        least = np.array([_first(one) / (len(one) - 1) for one in levels])[which]
        for k in np.unique(which):
            found[..., which == k] = of(levels[k], found[..., which == k])
        (low, high, _), y = self._values(), self._spread(y)
        return found, np.isfinite(y) & (y >= low) & (y < high) & ((found < least - 1e-9) | (found > 1 - least + 1e-9))

    def _inverted(self, q):
        """Return the quantiles of levels [..., n], by bisection between those of the parts."""
        p, tail = np.array(q), np.zeros(q.shape, dtype=bool)
        if self._levels is not None:
            levels, which = self._calibrations()
            for k in np.unique(which):
                p[..., which == k], tail[..., which == k] = replacing(levels[k], q[..., which == k])
        if tail.any():  # the program has the line that warns of these
            self._answers(*quantile_flags(np.unique([q[tail].min(), q[tail].max()])))
        (mu, sigma, _, scale, row, first), (least, greatest, whole) = self._parts, self._values()
        normal, found = statistics.NormalDist(), np.empty(q.shape)
        for at in np.ndindex(q.shape[:-1]):
            z = np.array([normal.inv_cdf(min(max(v, 1e-300), 1 - 2**-53)) for v in p[at]])
            y = _unscaled(mu + sigma * z[row], scale)
            low, high = np.minimum.reduceat(y, first), np.maximum.reduceat(y, first)
            for _ in range(64):
                middle = low + (high - low) / 2
                enough = self._normals(middle, 1) >= p[at]
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
            found[at] = np.clip(np.where(whole, np.ceil(high - 0.5) + 0, high), least, greatest)
        return found

    def rvs(self, size=None, random_state=None):
        """Return random draws: [n], or [*size, n]. Those of rows are independent: for curves, use sample."""
        mu, sigma, weight, scale, row, first = self._parts
        low, high, whole = self._values()
        size = () if size is None else tuple(np.atleast_1d(size))
        random = random_state if hasattr(random_state, "standard_normal") else np.random.default_rng(random_state)
        draws = np.empty((*size, len(self)))
        for i, (a, b) in enumerate(zip(first, [*first[1:], len(mu)])):
            if np.isnan(mu[a]):
                draws[..., i] = np.nan
                continue
            part = a + random.choice(b - a, size=size, p=weight[a:b] / weight[a:b].sum())
            z = _unscaled(mu[part] + sigma[part] * random.standard_normal(size), scale[part])
            draws[..., i] = np.clip(np.ceil(z - 0.5) + 0 if whole[i] else z, low[i], high[i])
        return draws


def _unscaled(z, scale):
    """Return the y that z is on the scale of its part."""
    return np.where(scale == 1, np.exp(np.where(scale == 1, z, 0)), np.where(scale == 2, z * np.abs(z), z))


def replacing(levels, q):
    """Return the levels of the model that replace q, and which of them lie in a tail beyond the calibration."""
    first, x = _first(levels), np.minimum(q, 1 - q) * (len(levels) - 1)
    tail = x < first - 1e-6
    p = np.where(tail, levels[first] * x / max(first, 1), np.interp(x, np.arange(len(levels)), levels))
    return np.where(q <= 0.5, p, 1 - p), tail


def below(levels, p):
    """Return P(Y ≤ y) of the prediction whose quantiles have these levels, from p, that of the model's."""
    return np.where(p <= 0.5, replaced(levels, p, "right"), 1 - replaced(levels, 1 - p, "left"))


def above(levels, p):
    """Return P(Y > y) of the prediction whose quantiles have these levels, from p, that of the model's."""
    return np.where(p <= 0.5, replaced(levels, p, "left"), 1 - replaced(levels, 1 - p, "right"))


def _first(levels):
    """Return the place of the least level that is calibrated."""
    return int(np.argmax(levels[: len(levels) // 2 + 1] > 0))


def replaced(levels, p, side):
    """Return the levels up to ½ that are replaced by levels p of the model: of several the least (left) or the greatest.
    Beyond the outermost level that is calibrated, the model's tail goes on."""
    steps = len(levels) - 1
    half = steps // 2
    first = _first(levels)
    i = first + np.searchsorted(levels[first:half], p, side=side)
    low, high = levels[np.maximum(i - 1, 0)], levels[i]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = i - 1 + (p - low) / (high - low)
    found = np.where((i == first) | (high <= p), i, between)
    return np.where(np.isnan(p), np.nan, np.where(p < levels[first], first * (p / levels[first]), found)) / steps


def quantile_flags(levels):
    levels = [float(p) for p in np.atleast_1d(levels)]
    if not levels or not all(0 < p < 1 for p in levels):
        raise ValueError(f"found the levels {levels}, expected numbers between 0 and 1")
    return ["--hdr=", "--quantiles", ",".join(map(repr, levels))]


def quantiles(rows, number):
    """Return the last columns of rows of predict as an array [rows, number]."""
    none = [np.nan] * number
    return np.array([none if r is None else list(r.values())[-number:] for r in rows], dtype=float).reshape(len(rows), number)
