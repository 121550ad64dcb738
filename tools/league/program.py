"""acqnp's side: a split is trained by the program, and its components are read from quantiles.csv."""
import csv
import json
import os
import re
import subprocess
import sys

import numpy as np

import data
from scores import Mixtures, Predictive, padded


class Ours:
    """A model of acqnp: NAME=init or NAME=CONFIG, with --set flags after commas."""

    def __init__(self, options, spec):
        self.o = options
        self.name, _, config = spec.partition("=")
        self.config, *self.keys = re.split(r",(?![^[]*\])", config)  # at commas outside of lists

    def __call__(self, name, k, problem):
        """Trains on a split and returns the predictions and what the run says of itself."""
        s, run = problem.set, os.path.join(self.o.runs, name, f"split-{k}", self.name.replace(" ", "-"))
        train = data.path(self.o.data, name, k, "train")
        os.makedirs(run + "-files", exist_ok=True)
        file = lambda part: os.path.join(run + "-files", part)
        config, keys = self.config, self.keys
        if config == "init":
            config = file("config.yaml")
            function = ["--function", s.function] if s.function else []
            text = self.call("init", "--csv", train, "--x", ",".join(s.x), "--y", s.y, *function, "--out", config,
                             "--overwrite", "--threads", self.o.threads)
            with open(file("init.txt"), "w") as f:
                f.write(text)
        else:
            keys = shape(s, train) + keys
        common = ["--threads", self.o.threads, "--quiet"]
        self.call("train", "--config", config, "--run-dir", run, "--overwrite", "--no-eval", *common,
                  *(word for key in keys for word in ("--set", key)))
        context(data.path(self.o.data, name, k, "context"), file("context.csv"), s.function, self.o.context)
        levels = ["--num-tau", "100"] if setting(run, "num_tau") else []
        target = data.path(self.o.data, name, k, "target")
        self.call("sample-quantiles", "--run", run, "--context", file("context.csv"), "--targets", target,
                  "--out", file("quantiles.csv"), "--overwrite", *levels, *common)
        log = s.y in re.findall(r"[^][, ]+", setting(run, "log"))
        return Predictive(components(file("quantiles.csv"), problem.test), log), told(run)

    def call(self, *words):
        done = subprocess.run([self.o.acqnp, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{self.o.acqnp} {' '.join(words)}\n{done.stderr}")
        return done.stdout + done.stderr


def shape(s, train):
    """Returns the keys that a configuration not written by init needs: file and columns. The
    program divides the training part into training and validation itself, as with init."""
    return [f"data.file={train}", f'data.function="{s.function}"', f"data.x=[{','.join(s.x)}]", f"data.y=[{s.y}]",
            f"data.split={'function' if s.context else 'point'}", "data.train_fraction=1"]


def context(source, out, function, most):
    """Copies a context: at most a number of points of each function, chosen at random."""
    with open(source, newline="") as f, open(out, "w", newline="") as g:
        rows = csv.DictReader(f)
        w = csv.DictWriter(g, rows.fieldnames)
        w.writeheader()
        every, seen = list(rows), {}
        for i in np.random.default_rng(0).permutation(len(every)):
            name = every[i].get(function, "")
            seen[name] = seen.get(name, 0) + 1
            if seen[name] <= most:
                w.writerow(every[i])


def components(file, tasks):
    """Returns the distributions of all targets, in the order of the tasks."""
    parts = {}
    with open(file, newline="") as f:
        for r in csv.DictReader(f):
            if r["kind"] == "component":
                values = [float(r[c]) if r[c] else np.nan for c in ("tau", "mu", "sigma", "weight")]
                parts.setdefault((r["function"], int(r["target"])), []).append(values)
    only = {f for f, _ in parts} if len(tasks) == 1 else ()  # one function may have any name
    order = [(next(iter(only), t.function), i) for t in tasks for i in range(len(t.ty))]
    if set(order) != set(parts):
        sys.exit(f"{file}: {len(parts)} targets, expected {len(order)}: {sorted(parts)[:2]} … instead of {order[:2]} …")
    return Mixtures(padded([parts[key] for key in order]))


def setting(run, key):
    """Returns the value of the last part of a key in a run's configuration, or ""."""
    with open(os.path.join(run, "config.yaml")) as f:
        found = re.search(rf"^ +{key}: *(\S.*?)?(?: +#.*)?$((?:\n +- .*)*)", f.read(), re.M)
    return (found[1] or found[2].replace("- ", "")).replace('"', "").strip() if found else ""


def told(run):
    """Returns what tells a run from others: model, aggregation, floor, and the step of its weights."""
    keys = {k: setting(run, k) for k in ("name", "aggregation", "sigma_floor", "log")}
    steps = [json.loads(line) for line in open(os.path.join(run, "metrics.jsonl"))]
    valid = [(m["valid_ll"], m["step"]) for m in steps if m.get("valid_ll") is not None]
    keys["step"] = max(valid)[1] if valid else steps[-1]["step"]
    return " ".join(f"{k}={v}" for k, v in keys.items() if v)
