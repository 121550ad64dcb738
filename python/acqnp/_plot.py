"""GroupedRegressor.plot."""

import datetime
import math

import numpy as np

from . import _cells
from ._fit import Points

AT_FIRST = 4  # groups that are drawn if none are named
POINTS = 120  # of a curve
MOST_BARS = 60  # of a panel, as acqnp predict --plot has
# The smallest sets that hold these probabilities, drawn one over the other, as acqnp predict --plot does.
BANDS = ((0.9, "90% of the prediction", "#c6d8ec"), (0.5, "densest 50%", "#7ba6d3"))


def plot(model, groups, context, column, ax, targets):
    """Draw a panel for each group and return the array of axes.

    groups are names, by default those of the targets or the context, or the first of the training. Over one column of X, by
    default the first of numbers or dates that varies within groups, each panel shows the known points, the targets, and the smallest
    sets of y that hold 50 and 90%: a shade over the range of the training, with the median if it is one curve. If another
    column varies too, a shade would hold for one value of it. Then bars are the predictions at the own x of the targets, or
    of the known points without targets.
    """
    import matplotlib.pyplot as plt
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    X, y, names = (*(targets or ()), None, None, None)[:3]
    asked, known = (None, model._known(context)) if targets is None else model._asked(X, names, context, y)
    known = model._training if context is None and not model._fit().as_new else known
    if not known and not asked:
        raise ValueError("found no known points to draw, expected context=(X, y, groups)")
    known = known.take(known.complete()) if known else asked.take([])
    asked = asked or known
    present = list(dict.fromkeys(g for g in asked.groups or [None] if g is not None or asked.groups is None))
    names = present[:AT_FIRST] if groups is None else _cells.labels([groups] if isinstance(groups, str) else groups)
    if missing := [g for g in names if g not in present]:
        raise ValueError(f"found the group {missing[0]!r}, expected one with {'targets' if targets else 'known points'}: {present[:5]}")
    panels = [[points.take([r for r in range(len(points)) if points.group(r) == g]) for points in (known, asked)] for g in names]
    vary = [any(len({*k.x[i], *a.x[i]}) > 1 for k, a in panels) for i in range(len(asked.x))]
    at = _column(model, asked, vary, column)
    barred = any(v for i, v in enumerate(vary) if i != at)
    if ax is None:
        wide = len(names) if len(names) <= 3 else 2
        tall = math.ceil(len(names) / wide)
        size = (5 * wide, 3.4 * tall)
        _, ax = plt.subplots(tall, wide, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained")
    axes = np.atleast_1d(ax).ravel()
    if len(axes) < len(names):
        raise ValueError(f"found {len(axes)} axes for {len(names)} groups")
    (low, high), origin = model._fit().ranges[at], model._fit().origins[at]
    questions = [_bars(a, at) if barred else _curve(k or a, at, np.linspace(low, high, POINTS), origin) for k, a in panels]
    every = Points([sum(cells, []) for cells in zip(*(q.x for q in questions))], asked.groups and sum((q.groups for q in questions), []))
    flags = "--quantiles", "0.5", "--hdr", ",".join(repr(mass) for mass, _, _ in BANDS)
    answers, legend = iter(model._fit().predict(every, None if context is None else known, *flags)), {}
    for g, (k, a), q, panel in zip(names, panels, questions, axes):
        x = _places(q.x[at], origin)
        _predictions(panel, x, (high - low) / (80 if barred else POINTS - 1), [next(answers) for _ in x], not barred)
        if targets and a.y is not None:
            panel.plot(_places(a.x[at], origin), _values(a, model._fit().names), "D", color="#f29e1f", markeredgecolor="black", markeredgewidth=0.5, markersize=4, label="targets")
        if len(k):
            panel.plot(_places(k.x[at], origin), _values(k, model._fit().names), "o", color="black", markersize=3, label="known points")
        panel.set(title=None if g is None else str(g), xlabel=model._seen_names()[at], ylabel=model._y_name())
        if origin:
            ticks = AutoDateLocator()
            panel.xaxis.set(major_locator=ticks, major_formatter=ConciseDateFormatter(ticks))
        panel.label_outer()
        legend.update(zip(*panel.get_legend_handles_labels()[::-1]))
    axes[0].legend([*legend.values()], [*legend], title=f"bars: at the own x of {'targets' if targets else 'known points'}" if barred else None, fontsize="small")
    for empty in axes[len(names) :]:
        empty.set_visible(False)
    return ax


def _places(cells, origin):
    """Return the x of cells; a missing one has no place. Those of a column of dates, which has an origin, are days of matplotlib."""
    from matplotlib.dates import date2num

    return np.array([np.nan if v is None else date2num(_moment(v)) if origin else float(v) for v in cells])


def _moment(date):
    try:
        return datetime.datetime.fromisoformat(date.replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(f"found the date {date!r}, expected dates of pandas, polars or Python to draw over (acqnp predict --plot draws others)") from None


def _values(points, names):
    """Return the y of points. A limit, such as "<50", is drawn at the limit, and two names at 0 and 1."""
    place = lambda v: names.index(v if v in names else v.lower()) if names else _cells.limit_of(v)  # noqa: E731
    return [place(v) if isinstance(v, str) else v for v in points.y]


def _bars(points, at):
    """Return some of the points, evenly chosen, whose own predictions are drawn."""
    rows = [r for r in range(len(points)) if points.x[at][r] is not None]
    number = min(len(rows), MOST_BARS)
    return points.take([rows[k * len(rows) // number] for k in range(number)])


def _curve(points, at, grid, origin):
    """Return the middle one of the points, moved along a column."""
    moved = points.take([len(points) // 2] * len(grid))
    moved.x[at] = [(_moment(origin) + datetime.timedelta(days=v)).isoformat() if origin else _cells.cell(v) for v in grid]
    return moved


def _predictions(ax, x, width, answers, curve):
    from matplotlib.collections import PolyCollection

    regions = [list(row.values())[-len(BANDS) :] for row in answers]
    for k, (_, label, colour) in enumerate(BANDS):
        # A region may have several intervals: each is a bar, one beside the other.
        bars = [[(a, low), (b, low), (b, high), (a, high)] for a, b, of in zip(x - width / 2, x + width / 2, regions) for low, high in of[k]]
        ax.add_collection(PolyCollection(bars, facecolors=colour, linewidths=0, antialiaseds=False, label=label))
    medians = [row["q0.5"] for row in answers]
    if curve and _one_curve(medians, [of[-1] for of in regions]):
        ax.plot(x, medians, color="#1f3d63", linewidth=1, label="median")
    ax.margins(x=0 if curve else 0.03)
    ax.autoscale_view()


def _one_curve(medians, halves):
    """Report whether nearly all medians lie in the densest half of their prediction, and so does what is between neighbours.

    Between two branches there is a median, and no y.
    """
    room = 0.5 * all(float(y).is_integer() for y in medians)  # between whole numbers there is no y either
    within = lambda y, half: any(low - room <= y <= high + room for low, high in half)  # noqa: E731
    inside = [within(y, half) for y, half in zip(medians, halves)]
    steps = zip(medians, medians[1:], inside[1:], halves[1:])
    return sum(inside) >= 0.95 * len(inside) and all(within((a + b) / 2, half) for a, b, there, half in steps if there)


def _column(model, known, vary, column):
    """Return the index of the column to draw over."""
    names = model._seen_names()
    drawn = [bool(origin) or all(_cells.is_number(v) for v in cells if v is not None) for origin, cells in zip(model._fit().origins, known.x)]
    if column is not None:
        if column not in names:
            raise ValueError(f"found the column {column!r}, expected one of {', '.join(names)}")
        if not drawn[names.index(column)]:
            raise ValueError(f"found names in the column {column!r}, expected numbers or dates to draw over")
        return names.index(column)
    for wanted in (vary, [len(set(cells)) > 1 for cells in known.x]):
        for i, ok in enumerate(drawn):
            if wanted[i] and ok:
                return i
    raise ValueError("found no column of numbers or dates that varies, expected one to draw over")
