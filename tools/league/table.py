"""The results as a markdown table."""
import csv
import os

import numpy as np

from data import SETS, SPLITS
from models import RIVALS


def load(file):
    if not os.path.exists(file):
        return []
    with open(file, newline="") as f:
        return list(csv.DictReader(f))


def markdown(rows):
    """Returns a table of log densities and one of CRPS, with one line a set and one column a model,
    tables of the differences to the best rivals, and one of coverage and seconds, averaged over all sets."""
    sets, models = unique(rows, "set", list(SETS)), unique(rows, "model", list(RIVALS))
    at = lambda s, m, c: np.array([float(r[c]) for r in rows if r["set"] == s and r["model"] == m and r.get(c)])
    out = ["Mean log density of a held-out target in raw units, ± the standard error over the five splits",
           "(in brackets: how many of them, where there are fewer):", ""]
    out += grid(sets, models, at, "log_density", max)
    for m in models:
        if m not in RIVALS and (lines := versus(rows, sets, m)):
            out += ["", f"{m} beside the best rival of each set, chosen after the fact: the paired difference in log density",
                    "over splits, ± its standard error:", ""] + lines
    if counted := [s for s in sets if any(len(at(s, m, "log_probability")) for m in models)]:
        out += ["", "Where y is counted, the mean log probability of the count:", ""] + grid(counted, models, at, "log_probability", max)
    out += ["", "CRPS in raw units, ± the standard error:", ""] + grid(sets, models, at, "crps", min)
    out += ["", "Coverage of the central 50% and 90% intervals in percent, and seconds a split, means over the sets:", ""]
    out += ["| model | 50% | 90% | seconds | sets |", "| --- | ---: | ---: | ---: | ---: |"]
    for m in models:
        own = [s for s in sets if len(at(s, m, "crps"))]
        mean = lambda c: np.mean([at(s, m, c).mean() for s in own])
        out.append(f"| {m} | {100 * mean('cover50'):.0f} | {100 * mean('cover90'):.0f} | {mean('seconds'):.1f} | {len(own)} |")
    return "\n".join(out) + "\n"


def versus(rows, sets, model):
    """Returns a table of a model's paired differences to the best rival of each set, and a line with the
    counts of wins, ties and losses. Sets with fewer than two common splits are left out."""
    lines, count = [], dict(win=0, tie=0, loss=0)
    for s in sets:
        of = {}  # log densities by model and split
        for r in rows:
            if r["set"] == s and r.get("log_density"):
                of.setdefault(r["model"], {})[r["split"]] = float(r["log_density"])
        own = of.get(model, {})
        pairs = {m: [(own[k], v[k]) for k in own if k in v] for m, v in of.items() if m in RIVALS}
        most = max(map(len, pairs.values()), default=0)
        if most < 2:
            continue
        best = max((m for m in pairs if len(pairs[m]) == most), key=lambda m: np.mean(pairs[m], axis=0)[1])
        mean, error, what = difference(*np.transpose(pairs[best]))
        count[what] += 1
        lines.append(f"| {s} | {best} | {mean:+.3f} ± {error:.3f} | {most} | {what} |".replace("-", "−"))
    if not lines:
        return []
    return ["| set | best rival | difference | splits | outcome |", "| --- | --- | ---: | ---: | --- |"] + lines + [
        "", f"Wins: {count['win']}, ties: {count['tie']}, losses: {count['loss']}."]


def difference(a, b):
    """Returns the mean of a − b over splits, its standard error, and win, tie or loss: a tie is a mean
    within its error."""
    d = np.subtract(a, b)
    mean, error = d.mean(), d.std(ddof=1) / len(d)**0.5
    return mean, error, "win" if mean > error else "loss" if mean < -error else "tie"


def grid(sets, models, at, column, best):
    out = ["| set | " + " | ".join(models) + " |", "| --- |" + " ---: |" * len(models)]
    for s in sets:
        most = max(len(at(s, m, column)) for m in models)
        top, cells = best(at(s, m, column).mean() for m in models if len(at(s, m, column)) == most), []
        for m in models:
            v = at(s, m, column)
            if not len(v):
                cells.append("")
                continue
            number = f"{v.mean():.3f}".replace("-", "−")
            error = f" ± {v.std(ddof=1) / len(v)**0.5:.3f}" if len(v) > 1 else ""
            few = f" ({len(v)})" if len(v) < SPLITS else ""
            cells.append((f"**{number}**" if v.mean() == top else number) + error + few)
        out.append(f"| {s} | " + " | ".join(cells) + " |")
    return out


def unique(rows, column, order):
    """Returns the values of a column, those of order first and in its order."""
    found = list(dict.fromkeys(r[column] for r in rows))
    return [v for v in order if v in found] + [v for v in found if v not in order]
