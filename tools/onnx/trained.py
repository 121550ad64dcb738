"""Trains a small model on a CSV file, exports it, and compares onnxruntime with acqnp score and
acqnp sample-quantiles: the columns are a number, a name and a logarithm; y is a logarithm, standardised by
a mixed model.

    python3 tools/onnx/trained.py ./acqnp FOLDER
"""

import csv
import json
import math
import pathlib
import random
import subprocess
import sys

try:
    import numpy as np
    import onnxruntime
except ImportError as missing:
    sys.exit(f"{missing}: pip install onnx onnxruntime numpy")

TOLERANCE = 1e-5  # see check.py
KINDS = ["fish", "meat", "soup"]
CONFIG = """benchmark: csv
model: {name: acqnp, aggregation: attention, representation: 16, heads: 2, encoder: [16], key_encoder: [16],
  query_encoder: [16], adaptor: [16], decoder: [16]}
data: {file: dishes.csv, group: dish, x: [minutes, kind, size], y: [weight], categories: [kind], log: [size, weight]}
train: {steps: 60, batch_size: 4, learning_rate: 1e-2}
eval: {num_tau: 7}
"""


def dishes(draw, names):
    for name in names:
        for _ in range(8):
            minutes, kind, size = draw.uniform(1, 60), draw.randrange(3), math.exp(draw.gauss(0, 1))
            yield {"dish": name, "minutes": minutes, "kind": KINDS[kind], "size": size,
                   "weight": math.exp(0.05 * minutes + 0.3 * kind + draw.gauss(0, 0.2)) * size}


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, fieldnames=["dish", "minutes", "kind", "size", "weight"])
        out.writeheader()
        out.writerows(rows)


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def agree(what, found, expected):
    expected = np.array(expected, dtype=float).reshape(found.shape)
    d = np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)))
    if not d <= TOLERANCE:
        sys.exit(f"{what} differs by {d} from acqnp, expected at most {TOLERANCE}")
    print(f"{what}: {d:.1e}")


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    acqnp = lambda *args: subprocess.run([program, *args, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    draw = random.Random(1)
    write(folder / "dishes.csv", dishes(draw, [f"d{i}" for i in range(12)]))
    context, targets = list(dishes(draw, ["new"])), list(dishes(draw, ["new"]))
    write(folder / "context.csv", context)
    write(folder / "targets.csv", targets)
    (folder / "dishes.yaml").write_text(CONFIG)
    acqnp("train", "--config", "dishes.yaml", "--run-dir", "run", "--no-eval")
    acqnp("export", "--run", "run", "--format", "onnx", "--out", "dishes.onnx")
    points = ("--run", "run", "--context", "context.csv", "--targets", "targets.csv")
    acqnp("score", *points, "--out", "score.csv")
    acqnp("sample-quantiles", *points, "--out", "quantiles.csv")

    session = onnxruntime.InferenceSession(folder / "dishes.onnx")
    density = onnxruntime.InferenceSession(folder / "dishes-density.onnx")
    about = session.get_modelmeta().custom_metadata_map
    columns = json.loads(about["columns"])

    def numbers(rows, which):
        cells = [[r[c["name"]] for c in columns[which]] for r in rows]
        index = [{n: i for i, n in enumerate(c.get("categories", []))} for c in columns[which]]
        return np.array([[[index[i].get(v, v) for i, v in enumerate(row)] for row in cells]], dtype=float)

    inputs = {"context_x": numbers(context, "x"), "context_y": numbers(context, "y"), "target_x": numbers(targets, "x"),
              "levels": np.array(json.loads(about["levels"]))}
    mu, sigma, log_weight, logit = session.run(["mu", "sigma", "log_weight", "level_logit"], inputs)
    components = [r for r in read(folder / "quantiles.csv") if r["kind"] == "component"]
    agree("mu", mu, [r["mu"] for r in components])
    agree("sigma", sigma, [r["sigma"] for r in components])
    agree("weight", np.exp(log_weight), [r["weight"] for r in components])
    agree("tau", 1 / (1 + np.exp(-logit)), [r["tau"] for r in components])
    scored = density.run(["log_density"], inputs | {"target_y": numbers(targets, "y")})[0]
    agree("log_density", scored, [r["log_density"] for r in read(folder / "score.csv")])
    if not np.all(density.run(["log_density"], inputs | {"target_y": -numbers(targets, "y")})[0] == -np.inf):
        sys.exit("a negative y, of which the model has the logarithm, has a density")


main()
