"""Scores of groups that a model has not seen."""

import copy
import warnings

import numpy as np

from . import _cells
from ._fit import Points, outer
from ._program import caller
from ._regressor import GroupedRegressor, numbers, one_column, say_left_out, taken_out


def cross_validate(model, X, y, groups, known=3, folds=5, seed=0):
    """Return scores of predictions for groups that are held out, from some known points of each.

    X, y and groups are those of ``fit``. seed divides the groups into folds; the settings of model are those of the fits, one
    for each fold without its groups. Of each of these, known points drawn at random are its context, and ``acqnp score``
    scores the others. Of groups in groups, the outer ones are held out.

    The result has the names of ``acqnp score --json``: "groups" and "scored_targets" are numbers, "log_density" has "mean" and
    "std_error", over groups, "impossible_y" counts what it leaves out, "limits_y" limits such as "<50", "crps" is a mean, and "coverage" has the shares inside
    the central intervals of "0.5" and "0.9". "folds" lists the same by fold. Groups of too few points to score any are in all
    fits, and a warning counts them.
    """
    if not isinstance(model, GroupedRegressor):
        raise ValueError(f"model: found {type(model).__name__}, expected GroupedRegressor")
    _cells.check_index(X=X, y=y, groups=groups)
    y = one_column(y)
    labels = [] if groups is None else _cells.labels(taken_out(X, groups)[1])
    points = Points([labels], labels, numbers(y, model, "fit"))
    if not len(X) == len(points) == len(points.y):
        raise ValueError(f"found {len(X)} rows of X, {len(points.y)} of y and {len(points)} of groups, expected as many of each")
    say_left_out("data", points)
    complete, rows_of = points.complete(), {}
    for r in complete:
        rows_of.setdefault(outer(labels[r]), []).append(r)
    held = [rows for rows in rows_of.values() if len(rows) > known]
    if not (known >= 0 and 2 <= folds <= len(held)):
        raise ValueError(f"found {folds} folds of {len(held)} groups with more than {known} points, expected 2 or more, and as many groups")
    if left := len(rows_of) - len(held):
        line = f"left {left} of {len(rows_of)} groups out of the scores: they have {known} points or fewer, all known"
        warnings.warn(line, UserWarning, stacklevel=caller())

    def take(rows):
        return _cells.take(X, rows), _cells.take(y, rows), groups if isinstance(groups, str) else _cells.take(groups, rows)

    random, names, scores = np.random.default_rng(seed), [], []
    for fold in np.array_split(random.permutation(len(held)), folds):
        mixed = [random.permutation(held[g]).tolist() for g in fold]
        context, targets = (sum(parts, []) for parts in zip(*((rows[:known], rows[known:]) for rows in mixed)))
        fitted = copy.copy(model).fit(*take(sorted({*complete}.difference(context, targets))))
        names.append([outer(labels[r]) for r in targets])
        scores.append(fitted._scores(*take(targets), take(context) if known else None))
    return {**means(sum(names, []), np.concatenate(scores)), "folds": [*map(means, names, scores)]}


def means(groups, scores):
    """Return what ``acqnp score --json`` does of scores [targets, 3] in groups, which alone are independent."""
    density, crps, pit = scores.T
    seen = crps == crps  # not a limit
    group, dense = np.unique(groups, return_inverse=True)[1], np.isfinite(density)
    number, mean, error = group.max() + 1, np.nan, np.nan
    if dense.any():
        mean = density[dense].mean()
        off = np.bincount(group[dense], density[dense] - mean, number)
        error = np.sqrt(off @ off * number / (number - 1)) / dense.sum() if number > 1 else np.nan
    return {
        "groups": int(number),
        "scored_targets": len(groups),
        "log_density": {"mean": float(mean), "std_error": float(error)},
        "impossible_y": int((~dense).sum()),
        **({} if seen.all() else {"limits_y": int((~seen).sum())}),
        "crps": float(crps[seen].mean()) if seen.any() else np.nan,
        "coverage": {str(p): float((np.abs(pit[seen] - 0.5) <= p / 2).mean()) if seen.any() else np.nan for p in (0.5, 0.9)},
    }
