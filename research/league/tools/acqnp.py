"""acqnp itself, as a user runs it: `acqnp fit` (or `acqnp init` and `acqnp train`), then `acqnp score`,
which states log density, CRPS and PIT of each target. Where y has a unit, its bounds around y are scored
too, and the probability between them is the difference of their PITs, before calibration."""
import csv
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
        if self.way == "fit":
            call(self.path, "fit", "train.csv", f"y ~ {' + '.join(xs)}" + f" | {'/'.join(names)}" * bool(names), *self.flags(), "--out", "run", "--overwrite", "--threads", "1", "--quiet", folder=d)
        else:
            call(self.path, "init", "--csv", "train.csv", "--x", ",".join(xs), "--y", "y", *["--group", "g"] * len(names), "--out", "config.yaml", "--overwrite", folder=d)
            call(self.path, "train", "--config", "config.yaml", "--run-dir", "run", "--overwrite", "--no-eval", "--threads", "1", "--quiet", folder=d)
        return lambda tasks: self.scored(d, header, names, tasks, problem)

    def flags(self):
        return ["--instant"] * ("--instant" in self.NAME)

    def scored(self, d, header, names, tasks, problem):
        u = problem.unit / 2
        write(os.path.join(d, "context.csv"), header, table(names, [(t.group, (t.cx, t.cy)) for t in tasks]))
        at = lambda shift, *flags: self.points(d, header, names, tasks, shift, flags)
        log, crps, pit = at(0).T
        if u:
            raw = ["--raw"] * (self.way == "fit" and "--raw" in subprocess.run([self.path, "score", "--help"], capture_output=True, text=True).stdout)
            log = np.log(np.maximum(at(u, *raw)[:, 2] - at(-u, *raw)[:, 2], 1e-30) / (2 * u))
        return Scored(log, crps, pit)

    def points(self, d, header, names, tasks, shift, flags):
        """Returns log density, CRPS and PIT of y + shift of all targets [targets, 3]."""
        write(os.path.join(d, "target.csv"), header, table(names, [(t.group, (t.tx, t.ty + shift)) for t in tasks]))
        context = ["--context", "context.csv"] * any(len(t.cy) for t in tasks)
        call(self.path, "score", "--run", "run", *context, "--targets", "target.csv", "--out", "points.csv", "--overwrite", "--threads", "1", "--quiet", *flags, folder=d)
        of = {}
        for r in csv.DictReader(open(os.path.join(d, "points.csv"), newline="")):
            of.setdefault("/".join(r[n] for n in names), []).append([float(r[c]) for c in ("log_density", "crps", "pit", "y")])
        v = np.array([row for t in tasks for row in of.get(t.group if names else "", [])])
        asked = sum(len(t.ty) for t in tasks)
        if len(v) != asked:
            raise RuntimeError(f"scored {len(v)} of {asked} targets")
        if not np.allclose(v[:, 3], np.concatenate([t.ty for t in tasks]) + shift):
            raise RuntimeError(f"{d}/points.csv: the targets are in another order")
        return v[:, :3]
