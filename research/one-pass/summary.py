#!/usr/bin/python3
"""Writes research/data/one-pass-equal.csv from research/data/one-pass-seconds.csv: targets of each head, the mean over
seeds and its standard error, and the heads' paired differences to 20 Gaussians."""
import collections
import csv
import os
import statistics

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
HEADS = {"mixture": "20 Gaussians", "quantile-mixture": "20 levels in one pass", "quantile": "CQNP", "adaptive": "ACQNP"}


def main():
    target = collections.defaultdict(dict)
    with open(os.path.join(DATA, "one-pass-seconds.csv"), newline="") as f:
        for r in csv.DictReader(f):
            target[r["benchmark"], r["encoder"], r["budget"], r["likelihood"]][r["seed"]] = float(r["target"])
    with open(os.path.join(DATA, "one-pass-equal.csv"), "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["benchmark", "encoder", "seconds", "seeds", *(c for h in HEADS.values() for c in (h, h + " ±")),
                      *(c for h in list(HEADS.values())[1:] for c in ("20 Gaussians less " + h, "20 Gaussians less " + h + " ±"))])
        for key in dict.fromkeys(k[:3] for k in target):
            first = target[(*key, "mixture")]
            cells = [c for h in HEADS for c in summary(list(target[(*key, h)].values()))]
            for h in list(HEADS)[1:]:
                other = target[(*key, h)]
                cells += summary([first[s] - other[s] for s in first if s in other], "+.3f")
            out.writerow([*key, len(first), *cells])


def summary(values, form=".3f"):
    """Returns the mean and its standard error, as texts."""
    if not values:
        return ["", ""]
    return [format(statistics.mean(values), form), f"{statistics.stdev(values) / len(values) ** 0.5:.3f}" if len(values) > 1 else ""]


if __name__ == "__main__":
    main()
