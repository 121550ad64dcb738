"""GroupedRegressor.plot."""

import math

import numpy as np

from . import _cells
from ._fit import Points

AT_FIRST = 4  # groups that are drawn if none are named
POINTS = 120  # of a curve
# The smallest sets that hold these probabilities, drawn one over the other, as acqnp predict --plot does.
BANDS = ((0.9, "#c6d8ec"), (0.5, "#7ba6d3"))


def plot(model, groups, context, column, ax):
    """Draw a panel for each group and return the array of axes.

    groups are names, by default those of the context, or the first of the training. Over one column of X, by
    default the first of numbers that varies, and over the range of the training, each panel shows the smallest sets of y that hold 50 and 90%, the
    mean, and the known points. Other columns stay at their value in the middle row of the known points.
    """
    import matplotlib.pyplot as plt

    known = model._training if context is None else model._known(context)
    if known is None or not len(known):
        raise ValueError("found no known points to draw, expected context=(X, y, groups)")
    present = list(dict.fromkeys(known.groups or [None]))
    names = present[:AT_FIRST] if groups is None else _cells.labels(groups)
    if missing := [g for g in names if g not in present]:
        raise ValueError(f"found the group {missing[0]!r}, expected one with known points: {present[:5]}")
    at = _column(model, known, column)
    if ax is None:
        wide = len(names) if len(names) <= 3 else 2
        tall = math.ceil(len(names) / wide)
        size = (5 * wide, 3.4 * tall)
        _, ax = plt.subplots(tall, wide, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained")
    axes = np.atleast_1d(ax).ravel()
    if len(axes) < len(names):
        raise ValueError(f"found {len(axes)} axes for {len(names)} groups")
    grid = np.linspace(*model._fit().ranges[at], POINTS)
    targets = Points([[] for _ in known.x], None if known.groups is None else [])
    for g in names:
        rows = [r for r in range(len(known)) if known.group(r) == g]
        middle = rows[len(rows) // 2]
        for i, cells in enumerate(known.x):
            targets.x[i] += [_cells.cell(v) for v in grid] if i == at else [cells[middle]] * POINTS
        if targets.groups is not None:
            targets.groups += [g] * POINTS
    answers = model._fit().predict(targets, None if context is None else known, "--quantiles=", "--hdr", ",".join(repr(m) for m, _ in BANDS))
    for k, g in enumerate(names):
        rows = [r for r in range(len(known)) if known.group(r) == g]
        shown = [r for r in rows if known.x[at][r] is not None]
        points = [float(known.x[at][r]) for r in shown], [known.y[r] for r in shown]
        _panel(axes[k], grid, answers[k * POINTS :][:POINTS], points)
        axes[k].set(title=None if g is None else str(g), xlabel=model._seen_names()[at], ylabel=model._y_name())
        axes[k].label_outer()
    for empty in axes[len(names) :]:
        empty.set_visible(False)
    return ax


def _panel(ax, grid, answers, points):
    from matplotlib.collections import PolyCollection

    width = grid[1] - grid[0]
    for k, (mass, colour) in enumerate(BANDS):
        # A region may have several intervals: each is a bar, one beside the other.
        intervals = [(x - width / 2, x + width / 2, *i) for x, row in zip(grid, answers) for i in list(row.values())[k - len(BANDS)]]
        bars = [[(a, low), (b, low), (b, high), (a, high)] for a, b, low, high in intervals]
        ax.add_collection(PolyCollection(bars, facecolors=colour, linewidths=0, antialiaseds=False, label=f"{mass:.0%}"))
    ax.plot(grid, [row["mean"] for row in answers], color="#1f3d63", linewidth=1, label="mean")
    ax.plot(*points, "o", color="black", markersize=3, label="known")
    ax.margins(x=0)
    ax.autoscale_view()


def _column(model, known, column):
    """Return the index of the column to draw over."""
    names = model._seen_names()
    if column is not None:
        if column not in names:
            raise ValueError(f"found the column {column!r}, expected one of {', '.join(names)}")
        if not all(_cells.is_number(v) for v in known.x[names.index(column)] if v is not None):
            raise ValueError(f"found names or dates in the column {column!r}, expected numbers to draw over")
        return names.index(column)
    for i, cells in enumerate(known.x):
        if len(set(cells)) > 1 and all(_cells.is_number(v) for v in cells if v is not None):
            return i
    raise ValueError("found no column of numbers that varies, expected one to draw over")

