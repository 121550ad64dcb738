"""Small data for the tests, and the program that they run."""

import atexit
import csv
import functools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if "ACQNP_INSTALLED" not in os.environ:  # the package of this checkout, with the program that make build writes
    sys.path.insert(0, str(ROOT / "python"))
    os.environ.setdefault("ACQNP", str(ROOT / ("acqnp.exe" if os.name == "nt" else "acqnp")))


@functools.cache
def folder():
    made = tempfile.TemporaryDirectory(prefix="acqnp-test-")
    atexit.register(made.cleanup)
    return Path(made.name)


def kettles(groups=24, rows=8):
    """Return rows (product, age, day, kind, price) of prices that fall with the age."""
    draw, found = random.Random(7), []
    for g in range(groups):
        new = draw.gauss(400, 80)
        for _ in range(rows):
            age, kind = round(draw.uniform(0.1, 5), 3), draw.choice(["new", "used"])
            price = new * math.exp(-age / 6) * (0.8 if kind == "used" else 1) + draw.gauss(0, 10)
            found.append((f"p{g:02d}", age, f"2024-03-{1 + int(age * 5):02d}", kind, round(price, 2)))
    return found


def program():
    from acqnp._program import find

    return find()


def command(*words):
    """Run the command line in the folder."""
    done = subprocess.run([program(), *map(str, words)], cwd=folder(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(name, header, rows):
    with open(folder() / name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(header)
        out.writerows(rows)


def predicted(*words):
    """Return what predict writes as JSON."""
    command("predict", *words, "--out", "out.jsonl", "--overwrite", "--quiet")
    return [json.loads(line) for line in (folder() / "out.jsonl").read_text().splitlines()]


@functools.cache
def fitted():
    """Return (rows, model): price from age in groups, fitted here, and by the command line in kettles.fit."""
    import numpy as np

    from acqnp import GroupedRegressor

    rows = kettles()
    write("kettles.csv", ["product", "age", "price"], [(r[0], r[1], r[4]) for r in rows])
    command("fit", "kettles.csv", "price ~ age | product", "--instant", "--seed", 3, "--out", "kettles.fit", "--quiet", "--no-picture")
    model = GroupedRegressor(instant=True, seed=3)
    return rows, model.fit(np.array([[r[1]] for r in rows]), [r[4] for r in rows], groups=[r[0] for r in rows])
