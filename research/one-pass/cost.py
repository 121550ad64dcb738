#!/usr/bin/python3
"""Times a training step and a prediction of each head at the paper's sizes, alone on an idle machine.

    go build ./cmd/acqnp
    python3 research/one-pass/cost.py > research/data/one-pass-cost.csv

A step is `acqnp bench`'s median on one thread, on lissajous with 53 points; a prediction is the processor time of
`acqnp predict` for 5,000 targets less that for one, from 30 known points, with one thread: mean and deviation alone, and
with the default's five quantiles and one highest-density region. Each is the median of five.
"""
import argparse
import csv
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

ONE_PASS = ["model.parts=20", "model.sigma_floor=0.016"]
HEADS = {
    "CNP": ("cnp", []),
    "CNP, 20 Gaussians": ("cnp", ["model.head=gaussian-mixture", *ONE_PASS]),
    "CNP, 20 levels in one pass": ("cnp", ["model.head=quantile-mixture", *ONE_PASS]),
    "CQNP": ("cqnp", []),
    "ACQNP": ("acqnp", []),
}
TARGETS, TIMES = 5000, 5


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--acqnp", default="./acqnp", help="the program")
    p.add_argument("--configs", default="configs/lissajous", metavar="DIR")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        rows = [measure(o, work, head, *settings) for head, settings in HEADS.items()]
    last = rows[-1]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["head", "step, ms", "ACQNP's over it", "µs a target, mean and deviation", "ACQNP's over it, mean and deviation",
                  "µs a target, with quantiles and region", "ACQNP's over it, with quantiles and region"])
    for head, *values in rows:
        cells = [c for v, most in zip(values, last[1:]) for c in (f"{float(format(v, '.3g')):g}", f"{most / v:.3g}")]
        out.writerow([head, *cells])


def measure(o, work, head, model, settings):
    """Returns the head, the milliseconds of a step and the microseconds of a target, in two forms."""
    flags = [f for s in settings for f in ("--set", s)]
    config = ["--config", os.path.join(o.configs, model + ".yaml"), *flags]
    bench = json.loads(call(o, "bench", *config, "--points", "53", "--steps", "20", "--json"))
    run, known = os.path.join(work, model + str(len(flags)) + head[-4:].strip()), os.path.join(work, "known.csv")
    call(o, "train", *config, "--run-dir", run, "--no-eval", "--set", "train.steps=2", "--set", "train.batch_size=2")
    draw = random.Random(1)
    with open(known, "w") as f:
        f.write("x,y\n" + "".join(f"{draw.uniform(-2, 2)},{draw.gauss(0, 1)}\n" for _ in range(30)))
    forms = [["--quantiles", "", "--hdr", ""], []]
    return [head, bench["ms_median"], *(target(o, run, known, form) for form in forms)]


def target(o, run, known, form):
    """Returns the microseconds of processor time of a target."""
    def seconds(n):
        out = os.path.join(run, "out.csv")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        call(o, "predict", "--run", run, "--context", known, f"--grid=-2:2:{n}", "--out", out, "--overwrite", *form)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return statistics.median((seconds(TARGETS) - seconds(1)) / TARGETS * 1e6 for _ in range(TIMES))


def call(o, command, *words):
    done = subprocess.run([o.acqnp, command, *words, "--threads", "1", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
