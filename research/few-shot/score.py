#!/usr/bin/python3
"""Trains configurations on few-shot splits and scores their predictions in raw units.

It reads predictive distributions from quantiles.csv, as `acqnp sample-quantiles` writes it, and
computes scores from these numbers alone. See README.md.
"""
import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import time

import numpy as np

from mixtures import Mixtures, padded

# The data sets: the columns of group, x and y; whether groups or points are held out; and the
# sizes of training batches, which are the sizes of the smallest groups of these files.
SETS = {
    "school": dict(group="school", x="ses", y="math", split="group", points=(14, 14), context=(3, 11)),
    "mel": dict(group="f", x="yesterday", y="today", split="point", points=(200, 200), context=(3, 197)),
    "lanes": dict(group="lane", x="flow", y="speed", split="point", points=(200, 200), context=(3, 197)),
}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="+", metavar="NAME=CONFIG[,KEY=VALUE...]",
                   help="a configuration, and the --set flags that change it")
    p.add_argument("--acqnp", default="./acqnp", help="the program")
    p.add_argument("--data", required=True, metavar="DIR", help="holds SET.train.csv, SET.ctx.csv and SET.tgt.csv")
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--seeds", default="0", help="comma-separated")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for every configuration")
    p.add_argument("--seconds", type=float, default=0, help="processor time of a training; 0: the steps of the configurations")
    p.add_argument("--threads", default="0", help="of the program; 0: all cores")
    p.add_argument("--runs", default="few-shot-runs", metavar="DIR", help="for run directories and predictions")
    p.add_argument("--check", action="store_true", help="compare the scores with those of acqnp score")
    p.add_argument("--out", metavar="FILE", help="CSV file for the scores, beside the printed table")
    o = p.parse_args()
    rows = []
    for name in o.sets.split(","):
        for model in o.models:
            label, _, config = model.partition("=")
            config, *keys = re.split(r",(?![^[]*\])", config)  # at commas outside of lists
            scores = [score(o, name, label, config, keys + o.set, seed) for seed in o.seeds.split(",")]
            rows += scores
            if len(scores) > 1:
                show(dict(scores[0], seed="mean", seconds=np.mean([s["seconds"] for s in scores]),
                          log_density=np.mean([s["log_density"] for s in scores]),
                          std_error=np.std([s["log_density"] for s in scores], ddof=1) / len(scores)**0.5,
                          crps=np.mean([s["crps"] for s in scores]), span=np.mean([s["span"] for s in scores])))
    if o.out:
        with open(o.out, "w", newline="") as f:
            w = csv.DictWriter(f, rows[0])
            w.writeheader()
            w.writerows(rows)


def score(o, name, label, config, keys, seed):
    """Trains a configuration on a set and returns its scores: a row of the result."""
    s, run = SETS[name], os.path.join(o.runs, name, label, "seed-" + seed)
    data = lambda part: os.path.join(o.data, f"{name}.{part}.csv")
    sets = [f"data.file={data('train')}", f"data.group={s['group']}", f"data.x=[{s['x']}]", f"data.y=[{s['y']}]",
            f"data.split={s['split']}", "data.train_fraction=0.99", f"data.points=[{s['points'][0]},{s['points'][1]}]",
            f"data.context=[{s['context'][0]},{s['context'][1]}]"] + keys
    common = ["--threads", o.threads, "--quiet"]
    train = lambda *more: call(o.acqnp, "train", "--config", config, "--seed", seed, "--run-dir", run, "--overwrite", "--no-eval",
                               *common, *(word for key in sets + list(more) for word in ("--set", key)))
    more = [f"train.steps={round(o.seconds / step_time(train))}"] if o.seconds else []
    begin = time.time()
    train(*more)
    seconds = time.time() - begin
    context, targets, quantiles = (os.path.join(run, name + ".csv") for name in ("context", "targets", "quantiles"))
    write(data("ctx"), context, s["group"], s["context"][1])
    write(data("tgt"), targets, s["group"], sys.maxsize)
    levels = ["--num-quantiles", "100"] if has_levels(run) else []
    call(o.acqnp, "sample-quantiles", "--run", run, "--context", context, "--targets", targets, "--out", quantiles,
         "--overwrite", *levels, *common)
    y, mixtures = read(quantiles, data("tgt"), s)
    log_density, crps = mixtures.log_density(y), mixtures.crps(y)
    row = dict(set=name, model=label, seed=seed, log_density=log_density.mean(),
               std_error=log_density.std(ddof=1) / len(y)**0.5, crps=crps.mean(), span=mixtures.span(),
               targets=len(y), seconds=seconds)
    show(row)
    if o.check:
        check(o, row, mixtures, y, ["--run", run, "--context", context, "--targets", targets, *levels, *common])
    return row


def check(o, row, mixtures, y, flags):
    """Stops unless `acqnp score` finds the same scores."""
    own = json.loads(call(o.acqnp, "score", "--json", *flags))
    pit = mixtures.cdf(y)
    inside = [np.mean(np.abs(pit - 0.5) <= p / 2) for p in (0.5, 0.9)]
    for name, ours, theirs in [("log density", row["log_density"], own["log_density"]["mean"]), ("CRPS", row["crps"], own["crps"]),
                               ("in 50%", inside[0], own["coverage"]["0.5"]), ("in 90%", inside[1], own["coverage"]["0.9"])]:
        print(f"{'':14}{name:12} {ours:.10g}, acqnp score {theirs:.10g}")
        if not abs(ours - theirs) <= 1e-8 * (1 + abs(ours)):
            sys.exit(f"{row['set']} {row['model']}: {name} differs")


def step_time(train):
    """Returns the processor time of a training step, in seconds, from two short trainings."""
    few, many = 100, 500
    used = []
    for steps in (few, many):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        train(f"train.steps={steps}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return (used[1] - used[0]) / (many - few)


def show(r):
    print(f"{r['set']:8} {r['model']:16} seed {r['seed']:4} log density {r['log_density']:8.4f} ± {r['std_error']:.4f}"
          f"  CRPS {r['crps']:.4f}  span of τ {r['span']:.4f}  {r['seconds']:.1f} s", flush=True)


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def has_levels(run):
    with open(os.path.join(run, "config.yaml")) as f:
        return any(line.strip().startswith("num_tau:") for line in f)


def write(source, target, group, most):
    """Copies a file of points, at most a number of each group."""
    with open(source, newline="") as f, open(target, "w", newline="") as g:
        rows, seen = csv.DictReader(f), {}
        w = csv.writer(g)
        w.writerow(rows.fieldnames)
        for r in rows:
            seen[r[group]] = seen.get(r[group], 0) + 1
            if seen[r[group]] <= most:
                w.writerow(r.values())


def read(quantiles, targets, s):
    """Returns the true y of all targets and their predictive distributions, in the same order."""
    truth = {}  # by group and number of the target
    with open(targets, newline="") as f:
        count = {}
        for r in csv.DictReader(f):
            name = r[s["group"]]
            truth[name, count.setdefault(name, 0)] = float(r[s["x"]]), float(r[s["y"]])
            count[name] += 1
    parts = {}
    with open(quantiles, newline="") as f:
        for r in csv.DictReader(f):
            if r["kind"] != "component":
                continue
            key = r[s["group"]], int(r["target"])
            if abs(float(r[s["x"]]) - truth[key][0]) > 1e-5 * (1 + abs(truth[key][0])):
                sys.exit(f"{quantiles}: target {key} is at {r[s['x']]}, expected {truth[key][0]}")
            parts.setdefault(key, []).append([float(r[c]) if r[c] else np.nan for c in ("tau", "mu", "sigma", "weight")])
    if parts.keys() != truth.keys():
        sys.exit(f"{quantiles}: {len(parts)} targets, expected the {len(truth)} of {targets}")
    return np.array([truth[k][1] for k in parts]), Mixtures(padded(list(parts.values())))


if __name__ == "__main__":
    main()
