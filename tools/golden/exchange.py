"""Writes weights, tasks and PyTorch's results for them. A test checks that imported weights give the same numbers.

The models have the depths of the real configurations but are narrow. Each is written for one output and for RGB. Weights
are as users of PyTorch export them: float32, under the names of the state_dict. The tasks file has levels and bootstraps.
"""
import json
import os

import torch

import transformer
from draw import draw_levels, draw_resample, draw_weights, uniform
from files import save
from forward import forward
from package import encoders, method

HIDDEN = [16, 16, 16]
QUANTILE = {"representation": 16, "encoder": HIDDEN, "decoder": HIDDEN}
ADAPTIVE = {"name": "acqnp", **QUANTILE, "adaptor": HIDDEN + [16, 16]}
LOOK = {"aggregation": "attention", "key_encoder": [16], "query_encoder": [16], "heads": 8}
STACK = {"aggregation": "transformer", "representation": 12, "encoder": [16], "heads": 4, "layers": 6, "feedforward": 12}
RESIDUAL = {"adaptor_form": "residual"}
# The keys of each model's configuration. Its name is that of its file, unless there is a key "name".
MODELS = {
    "cnp": {"representation": 16, "encoder": HIDDEN, "decoder": HIDDEN},
    "canp": {"representation": 16, "encoder": HIDDEN, "decoder": HIDDEN, "key_encoder": [16], "query_encoder": [16], "heads": 8},
    "bnp": {"width": 12, "pre_depth": 5, "post_depth": 3, "decoder_depth": 5},
    "cqnp": QUANTILE,
    "acqnp": ADAPTIVE,
    "acqnp-residual": {**ADAPTIVE, **RESIDUAL},
    "cqnp-attention": {"name": "cqnp", **QUANTILE, **LOOK},
    "acqnp-attention": {**ADAPTIVE, **LOOK, **RESIDUAL},
    "cnp-transformer": {"name": "cnp", **QUANTILE, **STACK},
    "acqnp-transformer": {**ADAPTIVE, **STACK, **RESIDUAL},
}
# (dx, dy) of each benchmark whose configuration the test uses.
DIMS = {"lissajous": (1, 1), "svhn": (2, 3)}
BATCHES = [(3, 11, 4), (2, 9, 7)]  # B, N, N_c
LEVELS, BOOTSTRAPS = 6, 5


def draw_tasks(dx, dy, rng):
    return [{"num_context": nc, "x": uniform(rng, (b, n, dx), 1), "y": uniform(rng, (b, n, dy), 0.5),
             "u": draw_levels(b, LEVELS, n, rng), "resample": draw_resample(BOOTSTRAPS, b, nc, rng)}
            for b, n, nc in BATCHES]


def on_grid(name, batch):
    """Returns the batch with LEVELS evenly spaced levels from 0.001 to 0.999: u of ACQNP, tau of CQNP."""
    grid = torch.linspace(0.001, 0.999, LEVELS)
    if name == "cqnp":
        grid = (grid - 0.001) / 0.998
    return {**batch, "u": grid.view(1, -1, 1).expand_as(batch["u"])}


def evaluate(model, weights, batches):
    """Returns [mean over context points, mean over targets] of every batch."""
    means = []
    for batch in batches:
        loglik, nc = forward(model, weights, batch).loglik, batch["num_context"]
        means.append([loglik[:, :nc].mean().item(), loglik[:, nc:].mean().item()])
    return means


def write(folder):
    os.makedirs(folder, exist_ok=True)
    cases = []
    for number, (benchmark, (dx, dy)) in enumerate(DIMS.items()):
        rng = torch.Generator().manual_seed(number + 1)
        tasks = draw_tasks(dx, dy, rng)
        tensors = {f"{i}.{k}": batch[k] for i, batch in enumerate(tasks) for k in ("x", "y", "u", "resample")}
        save(os.path.join(folder, f"tasks-{benchmark}.safetensors"), tensors,
             {"num_context": json.dumps([batch["num_context"] for batch in tasks])},
             "F32", {name: "I32" for name in tensors if name.endswith("resample")})
        for name, keys in MODELS.items():
            model = {"name": name, **keys}
            # The signal shrinks in deeper networks. With this gain, other levels or bootstraps change the results by far more than 2e-4.
            weights = draw_weights(model, dx, dy, rng, gain=5)
            save(os.path.join(folder, f"{name}-{benchmark}.safetensors"), weights, {"format": "pt"}, "F32")
            if encoders.aggregation(model) == "transformer":
                transformer.check(name + "-" + benchmark, model, weights, tasks[0])
            case = {"benchmark": benchmark, "weights": name, "model": model, "tasks": evaluate(model, weights, tasks)}
            if method.has_levels(model):
                case["grid"] = evaluate(model, weights, [on_grid(model["name"], batch) for batch in tasks])
            cases.append(case)
            print(f"{name + '-' + benchmark:34} context and target {case['tasks']}")
    with open(os.path.join(folder, "expected.json"), "w") as f:
        json.dump({"num_tau": LEVELS, "cases": cases}, f, indent=1)
        f.write("\n")
