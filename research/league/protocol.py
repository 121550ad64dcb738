"""Splits, contexts and tasks: what every tool is given and asked.

A set is cut into five splits. Where groups are unseen, a fifth of them is held out, and each is
predicted from contexts of 0, 1, 3 and 10 of its points: the first ones of one random order, so that
contexts are nested. The targets are the points that are in no context, and so the same for all of
them. Where points are unseen, a fifth of the points of each group is held out, and the context is
all the others ("rest").
"""
from dataclasses import dataclass, field, replace

import numpy as np

SPLITS, SEED, INNER = 5, 20261124, 3
SIZES = (0, 1, 3, 10)
MOST_OF_GROUP, MOST, INNER_MOST = 20, 300, 100  # targets of a group, of a split, of an inner fold


@dataclass
class Task:
    """Targets of one group to predict from a context."""
    group: str
    cx: np.ndarray  # [context, dx]
    cy: np.ndarray  # [context]
    tx: np.ndarray  # [targets, dx]
    ty: np.ndarray  # [targets]; tools that are honest do not read it


@dataclass(eq=False)
class Problem:
    """What a tool is fitted to. Groups are a dictionary from a name to (x [n, dx], y [n])."""
    groups: dict
    by_point: bool
    sizes: tuple  # of contexts; () where points are unseen
    unit: float  # in which y is counted or rounded, else 0
    seed: int = 0
    folder: str = ""  # for files of a tool
    root: object = None  # the problem of which this one is a fold
    kept: dict = field(default_factory=dict)  # what tools share, by name

    def once(self, name, make):
        """Returns what make returns, and keeps it for other tools."""
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]

    def rows(self):
        """Returns x [n, dx], y [n] and the group's name [n] of all rows."""
        names = np.repeat(list(self.groups), [len(y) for _, y in self.groups.values()])
        x, y = zip(*self.groups.values())
        return np.concatenate(x), np.concatenate(y), names

    def folds(self):
        """Returns the inner folds: pairs of a Problem and of tasks with the groups or points that it lacks."""
        def make():
            cut = [divide(self.groups, self.by_point, k, INNER, self.seed + 1) for k in range(INNER)]
            return [(Problem(fit, self.by_point, self.sizes, self.unit, self.seed + 100 * (k + 1), self.folder, self.root or self),
                     tasks(fit, held, self.sizes or None, self.seed + k, INNER_MOST)) for k, (fit, held) in enumerate(cut) if fit and held]
        return self.once("folds", make)


def divide(groups, by_point, k, folds, seed):
    """Returns the groups without fold k, and fold k itself."""
    fit, held = {}, {}
    if by_point:
        for name, (x, y) in groups.items():
            at = np.random.default_rng([seed, 1]).permutation(len(y))
            out, rest = np.sort(at[k::folds]), np.sort(np.setdiff1d(at, at[k::folds]))
            if len(rest):
                fit[name] = (x[rest], y[rest])
            if len(out):
                held[name] = (x[out], y[out])
        return fit, held
    names = sorted(groups)
    out = {names[i] for i in np.random.default_rng([seed, 0]).permutation(len(names))[k::folds]}
    return {n: groups[n] for n in names if n not in out}, {n: groups[n] for n in names if n in out}


def sizes_of(groups):
    """Returns the contexts of a set: those that leave two targets of its median group."""
    median = np.median([len(y) for _, y in groups.values()])
    return tuple(c for c in SIZES if c + 2 <= median)


def tasks(fit, held, sizes, seed, most=MOST):
    """Returns the tasks of held-out groups for each size, {size: [Task]}. Groups that have no target are
    left out. Without sizes, the context is what fit has of the group."""
    r = np.random.default_rng([SEED, seed])
    order = {name: r.permutation(len(held[name][1])) for name in sorted(held)}
    if sizes is None:
        share = min(1, most / sum(map(len, order.values())))
        cut = {n: np.sort(at[:max(1, round(share * len(at)))]) for n, at in order.items()}
        return {"rest": [Task(n, *fit.get(n, (held[n][0][:0], held[n][1][:0])), held[n][0][at], held[n][1][at]) for n, at in cut.items()]}
    sizes = [c for c in sizes if any(len(at) > c for at in order.values())]  # that leave a target
    out, count = {c: [] for c in sizes}, 0
    for name in r.permutation(sorted(held)).tolist():
        (x, y), at = held[name], order[name]
        target = at[max(sizes):][:MOST_OF_GROUP]
        if len(target) == 0 or count >= most:
            continue
        count += len(target)
        for c in sizes:
            out[c].append(Task(name, x[at[:c]], y[at[:c]], x[target], y[target]))
    return out


def counted(groups):
    """Returns the unit in which y is counted or rounded, 0 where it is neither: all y are multiples of the
    least difference between them, and at least three points share a value on average, or there is a spike at
    an end. A log density has no bound there, as narrow peaks at the values raise it."""
    y = np.concatenate([y for _, y in groups.values()])
    values = np.unique(y)
    if len(values) < 2 or len(y) < 3 * len(values) and not spiked(y) and not spiked(-y):
        return 0.0
    unit = float(np.diff(values)[np.diff(values) > 1e-9 * np.ptp(y)].min())
    k = np.round(values / unit)
    unit = float(values @ k / (k @ k))  # ninetieths are printed in six digits
    return unit if np.allclose(values / unit, k, atol=1e-3, rtol=0) else 0.0


def spiked(y):
    """Reports whether the least value is repeated: three times, in a fiftieth of the points, and as often as the
    next one. Rounded values thin out towards their ends."""
    least, *more = np.unique(y, return_counts=True)[1][:2]
    return bool(more and least >= max(3, 0.02 * len(y), more[0]))


def split(groups, by_point, k):
    """Returns the Problem of split k and its tasks, {size: [Task]}."""
    fit, held = divide(groups, by_point, k, SPLITS, SEED)
    sizes = () if by_point else sizes_of(groups)
    return Problem(fit, by_point, sizes, counted(groups), k), tasks(fit, held, sizes or None, k)


def log_score(p, y, unit):
    """Returns the log density of each target; where y has a unit, the log of the probability of the unit
    around y, divided by it."""
    if not unit:
        return p.log_density(y)
    return np.log(np.maximum(p.cdf(y + unit / 2) - p.cdf(y - unit / 2), 1e-30) / unit)


def pits(p, y, unit):
    """Returns the PIT of each target; where y has a unit, a point between its ends drawn at random, the same
    for every tool, so that atoms are covered as often as they are stated."""
    if not unit:
        return p.cdf(y)
    low, high = p.cdf(y - unit / 2), p.cdf(y + unit / 2)
    r = np.random.default_rng(abs(np.round(y / unit)).astype(int))  # the targets are the seed
    return low + r.uniform(size=len(y)) * (high - low)


def filled(problem, test):
    """Returns the problem and its tasks for tools that cannot have missing cells of x: these are what a least
    squares regression on the columns that are whole says, and a column for each tells where."""
    parts = [v for v, _ in problem.groups.values()] + [v for ts in test.values() for t in ts for v in (t.cx, t.tx)]
    gaps = np.isnan(np.concatenate(parts)).any(0)
    if not gaps.any():
        return problem, test
    x = problem.rows()[0]
    whole, base = ~np.isnan(x).any(1), lambda v: np.column_stack([np.ones(len(v)), v[:, ~gaps]])
    B = np.linalg.lstsq(base(x[whole]), x[whole][:, gaps], rcond=None)[0]

    def put(v):
        out, lost = v.copy(), np.isnan(v[:, gaps])
        out[:, gaps] = np.where(lost, base(v) @ B, v[:, gaps])
        return np.column_stack([out, lost])
    return (replace(problem, groups={n: (put(v), y) for n, (v, y) in problem.groups.items()}, kept={}),
            {c: [replace(t, cx=put(t.cx), tx=put(t.tx)) for t in ts] for c, ts in test.items()})


def stacked(tasks):
    return np.concatenate([t.ty for t in tasks])


def choose(problem, tool):
    """Returns the candidate settings of a tool that predict the inner folds best by log score, and its
    log scores there, {size: [targets]}. The best two of the first fold meet on the others. A tool's
    refine, if it has one, adds candidates near the best of the first fold."""
    first = race(problem, tool, tool.candidates(problem))
    if hasattr(tool, "refine") and first:
        first += race(problem, tool, tool.refine(problem, max(first, key=value)[0]))
    every = []
    for settings, out in sorted(first, key=value)[::-1][:2]:
        try:
            more = [out] + [held_out(problem, tool, settings, i) for i in range(1, len(problem.folds()))]
        except np.linalg.LinAlgError:
            continue
        every.append((settings, {size: np.concatenate([m[size] for m in more if size in m]) for size in out}))
    return max(every, key=value) if every else (None, None)


def value(candidate):
    return np.mean([v.mean() for v in candidate[1].values()])


def race(problem, tool, candidates):
    out = []
    for settings in candidates:
        try:
            out.append((settings, held_out(problem, tool, settings, 0)))
        except np.linalg.LinAlgError:
            pass
    return out


def held_out(problem, tool, settings, i):
    """Returns the log scores of inner fold i, {size: [targets]}."""
    inner, held = problem.folds()[i]
    predict, out = tool.fit(inner, settings), {}
    for size, ts in held.items():
        if ts:
            log = log_score(predict(ts), stacked(ts), problem.unit)
            out[size] = np.maximum(np.nan_to_num(log, nan=-1e3, neginf=-1e3), -1e3)
    return out


class Skip(Exception):
    """A tool does not apply to a set, or cannot run here; the text says why."""
