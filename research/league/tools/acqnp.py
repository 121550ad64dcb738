"""acqnp itself, as a user runs it: `acqnp fit` (or `acqnp init` and `acqnp train`), then `acqnp score`,
which states log density, CRPS and PIT of each target. Where y has a unit, its ends around y are scored too,
and the probability between them is the difference of their PITs, before calibration. Where the program takes
y for whole numbers, the log density that it states is the log probability of the unit already."""
import csv
import json
import os
import subprocess

import numpy as np

from data import table
from scores import Scored


LIMIT = 3600  # seconds of a command; with other work on the machine, ten times what it takes alone


def write(file, header, rows):
    with open(file, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(header)
        w.writerows(rows)


def call(*words, folder):
    env = dict(os.environ, GOMAXPROCS="1")
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LIMIT, env=env)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{words[1]} ran past {LIMIT} s") from None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-300:])
    return done.stdout


class Program:
    """The program at a path, by fit or by init."""

    def __init__(self, name, path, way):
        self.NAME, self.KIND, self.path, self.way = name, "acqnp", os.path.abspath(path), way

    def run(self, problem):
        """Trains on a problem and returns a function that scores tasks."""
        d = os.path.abspath(os.path.join(problem.folder, self.NAME.replace(" ", "-")))
        os.makedirs(d, exist_ok=True)
        names = ["school", "class"] if all("/" in g for g in problem.groups) else ["g"] * (len(problem.groups) > 1)
        xs = [f"x{j + 1}" for j in range(problem.rows()[0].shape[1])]
        header = names + xs + ["y"]
        write(os.path.join(d, "train.csv"), header, table(names, problem.groups.items()))
        outcome = {}  # what values the program takes y for, {} for any number
        if self.way == "fit":
            said = call(self.path, "fit", "train.csv", f"y ~ {' + '.join(xs)}" + f" | {'/'.join(names)}" * bool(names), *self.flags(), "--out", "run", "--overwrite", "--threads", "1", "--quiet", "--json", folder=d)
            outcome = json.loads(said.splitlines()[-1])["targets"][0].get("outcome", {})
        else:
            call(self.path, "init", "--csv", "train.csv", "--x", ",".join(xs), "--y", "y", *["--group", "g"] * len(names), "--out", "config.yaml", "--overwrite", folder=d)
            call(self.path, "train", "--config", "config.yaml", "--run-dir", "run", "--overwrite", "--no-eval", "--threads", "1", "--quiet", folder=d)
        return lambda tasks: self.scored(d, header, names, tasks, problem.unit, outcome)

    def flags(self):
        return ["--instant"] * ("--instant" in self.NAME)

    def scored(self, d, header, names, tasks, unit, outcome):
        write(os.path.join(d, "context.csv"), header, table(names, [(t.group, (t.cx, t.cy)) for t in tasks]))
        y = np.concatenate([t.ty for t in tasks])
        log, crps, pit = self.points(d, header, names, tasks, y).T
        if unit and not outcome.get("whole"):
            low, high = outcome.get("low", -np.inf), outcome.get("high", np.inf)
            below = lambda y: np.select([y < low, y >= high], [0, 1], self.points(d, header, names, tasks, np.clip(y, low, high), *self.raw())[:, 2])
            log = np.log(np.maximum(below(y + unit / 2) - below(y - unit / 2), 1e-30) / unit)
        return Scored(log, crps, pit)

    def raw(self):
        return ["--raw"] * (self.way == "fit" and "--raw" in subprocess.run([self.path, "score", "--help"], capture_output=True, text=True).stdout)

    def points(self, d, header, names, tasks, y, *flags):
        """Returns log density, CRPS and PIT of y at all targets [targets, 3]."""
        parts = np.split(y, np.cumsum([len(t.ty) for t in tasks])[:-1])
        write(os.path.join(d, "target.csv"), header, table(names, [(t.group, (t.tx, v)) for t, v in zip(tasks, parts)]))
        context = ["--context", "context.csv"] * any(len(t.cy) for t in tasks)
        call(self.path, "score", "--run", "run", *context, "--targets", "target.csv", "--out", "points.csv", "--overwrite", "--threads", "1", "--quiet", *flags, folder=d)
        of = {}
        for r in csv.DictReader(open(os.path.join(d, "points.csv"), newline="")):
            of.setdefault("/".join(r[n] for n in names), []).append([float(r[c]) for c in ("log_density", "crps", "pit", "y")])
        v = np.array([row for t in tasks for row in of.get(t.group if names else "", [])])
        if len(v) != len(y):
            raise RuntimeError(f"scored {len(v)} of {len(y)} targets")
        if not np.allclose(v[:, 3], y):
            raise RuntimeError(f"{d}/points.csv: the targets are in another order")
        return v[:, :3]
