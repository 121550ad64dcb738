#!/usr/bin/python3
"""Writes the tables of research/pretrained.md: the network beside the league's tools on split 0, its
regret on simulated sets, its learning curve, and the sets that were sealed.

    /usr/bin/python3 research/pretrained/tables.py

It reads research/league/results/fit-5cac26c.csv, research/league/results/pretrained.csv, which has the same columns and was written by
research/league with the programs named there, and the card of the weights.
"""
import csv
import json
import math
import statistics

DATA = "research/data/pretrained-"
OWN = ("network alone", "fit --instant", "fit with it")
RIVALS = ("CatBoost", "GPBoost", "Gaussian process", "NGBoost", "conditional normal", "kernel density", "mgcv", "mixed model", "mixture of regressions", "quantile forest")
BEFORE = "fit before it"


SEALED, STACK = "research/league/results/sealed.csv", "stack of all rivals"


def main():
    sealed()
    splits()
    log, cover, seconds = scores()
    sets = sorted({s for s, _, t in log if t == "network alone"})
    league(log, cover, seconds, sets)
    regret(log, [s for s in sets if s.startswith("sim-")])
    with open("internal/fit/pretrained/card.json") as f:
        card = json.load(f)
    write("curve", ["steps", "log density", "log density ±"], card["curve"])


def scores():
    """Returns log density and coverage of 90% by set, context and tool, and the seconds of fitting by set and tool."""
    log, cover, seconds = {}, {}, {}
    for file in ("research/league/results/fit-5cac26c.csv", "research/league/results/pretrained.csv"):
        with open(file, newline="") as f:
            for r in csv.DictReader(f):
                tool = r["tool"]
                if not r["log_score"]:  # the tool failed there
                    continue
                if file.endswith("fit-5cac26c.csv"):
                    if r["split"] != "0" or tool.startswith("acqnp fit --"):
                        continue
                    tool = {"acqnp fit": BEFORE}.get(tool, tool)
                log[r["set"], r["context"], tool] = float(r["log_score"])
                if r["cover90"]:
                    cover[r["set"], r["context"], tool] = float(r["cover90"])
                if r["fit_seconds"]:
                    seconds[r["set"], tool] = float(r["fit_seconds"])
    return log, cover, seconds


def sealed():
    """Writes the table of the sets that were sealed: the mean over contexts of each."""
    values = {}
    with open(SEALED, newline="") as f:
        for r in csv.DictReader(f):
            if r["log_score"]:
                values.setdefault((r["set"], r["tool"]), {})[r["context"]] = float(r["log_score"])
    rows = []
    for name in sorted({s for s, _ in values}):
        contexts = len(values[name, OWN[0]])
        of = {t: statistics.mean(v.values()) for (s, t), v in values.items() if s == name and len(v) == contexts}
        best = max((t for t in RIVALS + ("constant",) if t in of), key=of.get)
        rows.append([name, *(cell(of[t]) for t in OWN), cell(of[best]), best, cell(of.get(STACK)), f"{of[OWN[0]] - of[best]:.3f}", f"{of[OWN[2]] - of[best]:.3f}"])
    write("sealed", ["set", *OWN, "best rival", "which", STACK, "alone over the best", "with it over the best"], rows)


EVERY = ("CatBoost", "Gaussian process", "conditional normal", "constant", "mixed model", "mixture of regressions")  # on every split


def splits():
    """Writes wins, ties and losses on splits 0 to 2 against the best of EVERY, by the paired error over splits."""
    values = {}
    for file in ("research/league/results/fit-5cac26c.csv", "research/league/results/pretrained.csv", "research/league/results/pretrained-splits.csv"):
        with open(file, newline="") as f:
            for r in csv.DictReader(f):
                if r["log_score"] and r["split"] in "012" and r["tool"] in EVERY + OWN:
                    values.setdefault((r["set"], r["tool"]), {}).setdefault(r["split"], []).append(float(r["log_score"]))
    by_split = {k: {split: statistics.mean(v) for split, v in of.items()} for k, of in values.items()}
    rows = []
    for tool in OWN[:2]:
        differences = []
        for name in sorted({s for s, t in by_split if t == tool}):
            rivals = [by_split[name, t] for t in EVERY if len(by_split.get((name, t), ())) == 3]
            best = max(rivals, key=lambda of: statistics.mean(of.values()))
            d = [by_split[name, tool][k] - best[k] for k in best]
            differences.append((statistics.mean(d), statistics.stdev(d) / math.sqrt(3)))
        means = [m for m, _ in differences]
        rows.append([tool, len(means), sum(m > e for m, e in differences), sum(abs(m) <= e for m, e in differences), sum(m < -e for m, e in differences),
                     sum(m >= -0.05 for m in means), f"{statistics.mean(means):.3f}", f"{statistics.stdev(means) / math.sqrt(len(means)):.3f}"])
    write("splits", ["tool", "sets", "wins", "ties", "losses", "within 0.05", "difference", "difference ±"], rows)


def mean(log, name, tool):
    """Returns the mean over the contexts of a set that the network has; None if the tool lacks one."""
    values = [log.get((name, c, tool)) for s, c, t in log if s == name and t == "network alone"]
    return None if None in values else statistics.mean(values)


def league(log, cover, seconds, sets):
    rows, ranks, near, ahead = [], {}, {}, []
    for name in sets:
        rivals = {t: m for t in RIVALS if (m := mean(log, name, t)) is not None}
        best = max(rivals, key=rivals.get)
        own = {t: mean(log, name, t) for t in (*OWN, BEFORE)}
        gain = own["fit with it"] - own[BEFORE] if own["fit with it"] is not None and own[BEFORE] is not None else None
        rows.append([name, *(cell(own[t]) for t in (*OWN, BEFORE)), cell(rivals[best]), best, cell(rivals.get("mixed model")), cell(gain)])
        for t in OWN:
            if own[t] is None:
                continue
            order = sorted([*rivals.values(), own[t]], reverse=True)
            ranks.setdefault(t, []).append(1 + order.index(own[t]))
            near.setdefault(t, []).append(own[t] - rivals[best])
        for r in rivals:
            if own["network alone"] is not None:
                ranks.setdefault(r, []).append(1 + sorted([*rivals.values(), own["network alone"]], reverse=True).index(rivals[r]))
        if gain is not None:
            ahead.append(gain)
    write("league", ["set", *OWN, BEFORE, "best rival", "which", "mixed model", "with it over before"], rows)
    summary = []
    for t in OWN:
        d = near.get(t, [])
        covers = [v for (s, c, tool), v in cover.items() if tool == t]
        own = [v for (s, tool), v in seconds.items() if tool == t]
        summary.append([t, len(d), sum(x >= 0 for x in d), sum(x >= -0.05 for x in d), f"{statistics.median(d):.3f}", f"{statistics.mean(ranks[t]):.1f}",
                        f"{100 * statistics.mean(covers):.0f}", f"{statistics.median(own):.1f}"])
    write("summary", ["tool", "sets", "ahead of the best rival", "within 0.05 of it", "median difference", "mean rank among ten rivals", "90% interval holds %", "seconds, median"], summary)
    n = len(ahead)
    write("gain", ["sets", "difference", "difference ±", "ahead", "ahead by 0.01", "behind by 0.01"],
          [[n, f"{statistics.mean(ahead):.4f}", f"{statistics.stdev(ahead) / math.sqrt(n):.4f}", sum(x > 0 for x in ahead), sum(x > 0.01 for x in ahead), sum(x < -0.01 for x in ahead)]])
    write("ranks", ["rival", "mean rank beside the network alone"], [[r, f"{statistics.mean(ranks[r]):.1f}"] for r in sorted(RIVALS, key=lambda r: statistics.mean(ranks[r]))])


def regret(log, sets):
    rows = []
    for name in sets:
        for tool in (*OWN, BEFORE, "mixed model"):
            row = [name, tool]
            for c in ("0", "1", "3", "10"):
                exact, own = log.get((name, c, "exact")), log.get((name, c, tool))
                row.append("–" if exact is None or own is None else f"{exact - own:.3f}")
            if any(v != "–" for v in row[2:]):
                rows.append(row)
    write("regret", ["set", "tool", "0 points", "1 point", "3 points", "10 points"], rows)


def cell(v):
    return "–" if v is None else f"{v:.3f}"


def write(name, header, rows):
    with open(f"{DATA}{name}.csv", "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header)
        w.writerows(rows)


if __name__ == "__main__":
    main()
