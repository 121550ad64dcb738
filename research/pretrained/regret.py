#!/usr/bin/python3
"""Measures what predictions of new groups lose to exact Bayes, by the number of groups that were read.

    ../venv-league/bin/python research/pretrained/regret.py "fit --instant=./acqnp" "fit=./acqnp"

For each simulated set of research/league, each number of groups and each draw, it fits each program as
research/league does, and scores the same 30 new groups with 0, 1, 3 and 10 known points. It writes
research/data/pretrained-groups.csv. In its environment are the packages of research/league.
"""
import argparse
import csv
import os
import sys
import tempfile
from dataclasses import replace

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "league"))
sys.path.append(os.path.join(sys.path[0], "tools"))
import acqnp
import simulated
from protocol import Problem, sizes_of, stacked, tasks

FILE = "research/data/pretrained-groups.csv"
SETS = ("sim-lines", "sim-skew", "sim-classes", "sim-gp")
GROUPS = (5, 10, 20, 40, 80)
NEW, SEED = 30, 1000


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="+", help="NAME=PATH; a name with --instant adds this flag")
    p.add_argument("--draws", type=int, default=3, help="data sets of each size")
    o = p.parse_args()
    tools = [acqnp.Program(*spec.split("=", 1), "fit") for spec in o.program]
    rows = []
    for name in SETS:
        for tool in tools:
            row = [name, tool.NAME]
            for n in GROUPS:
                lost = [regret(simulated.SETS[name], n, draw, tool) for draw in range(o.draws)]
                row += [f"{np.mean(lost):.3f}", f"{np.std(lost, ddof=1) / np.sqrt(o.draws):.3f}"]
            rows.append(row)
            print(*row, flush=True)
    with open(FILE, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["set", "tool"] + [c for n in GROUPS for c in (f"{n} groups", f"{n} groups ±")])
        w.writerows(rows)


def regret(process, groups, draw, tool):
    """Returns what a tool that has read so many groups loses to the exact answer, in nats a target. The tool
    sees y less 100: of y that all happen to be positive a fit would take the logarithm, and new y may not be."""
    known = replace(process, groups=groups).data(SEED + 1 + draw)
    new = {f"new-{g}": v for g, v in replace(process, groups=NEW).data(SEED).items()}
    lower = lambda of: {g: (x, y - 100) for g, (x, y) in of.items()}
    sizes = sizes_of(known)
    test, seen = tasks(known, new, sizes, 0), tasks(lower(known), lower(new), sizes, 0)
    with tempfile.TemporaryDirectory() as folder:
        predict = tool.run(Problem(lower(known), False, sizes, 0.0, draw, folder))
        lost = [(process.answer(test[c]).log_density(stacked(test[c])) - predict(seen[c]).log_score).mean() for c in test]
    return np.mean(lost)


if __name__ == "__main__":
    main()
