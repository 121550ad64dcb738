#!/usr/bin/python3
"""Reference results for internal/test/golden, in float64: gradients by autograd, steps by torch.optim.Adam.

    /usr/bin/python3 tools/golden/golden.py internal/test/golden/testdata

The models are those of python/acqnp/torch. Inputs and weights are float32 values, so that float32 and float64 programs start from the same
numbers. It writes one safetensors file for each case, and the files of exchange.py. README.md lists the tensors.
"""
import json
import os
import sys

import torch

import exchange
import groups
import transformer
from cases import CASES, OTHER_SIZES, SIZES, SMALL, TARGETS
from draw import draw_batch, draw_weights
from files import save
from forward import forward, loss_of
from kinks import Kinks
from package import encoders, layers

STEPS = 10
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-3
# The smallest allowed distance of any ReLU input, or y - mu, from its kink. Float32 rounding is about 1e-7 here, so a
# float32 program takes the same side everywhere and its gradients can be compared. The distance is larger for BNP, whose
# decoder comes after two more networks, for attention, whose values go through a softmax and a sum over heads, and for
# transformers and groups, which do that in every layer.
MARGIN = {"attention": 5e-6, "transformer": 1e-5, "groups": 1e-5}
OTHER_MARGIN = {"bnp": 1e-5}
LEAST_MARGIN = 2e-6
NUMBERS = ("x", "y", "u", "resample", "ranges")


def run_case(number, name, model, dims, extents, change):
    """Returns the tensors and the metadata of one case. It draws again if a kink is too close for float32."""
    def run(weights, batch, kinks):
        with layers.watched(kinks.see):
            result = forward(model, weights, batch)
        return result.targets(batch["num_context"]) if name in TARGETS else result

    for attempt in range(100):
        rng = torch.Generator().manual_seed(1000 * (number + 1) + attempt)
        weights = draw_weights(model, *dims, rng)
        batch = draw_batch(model, extents, *dims, rng)
        if change:
            change(weights, batch)
        steps = []
        for _ in range(STEPS):
            sizes = [lo + int(torch.randint(0, (hi - lo) // by + 1, (1,), generator=rng)) * by
                     for lo, hi, by in SIZES.get(model["name"], OTHER_SIZES)]
            steps.append(draw_batch(model, sizes, *dims, rng))

        kinks = Kinks()
        given = {k: v.clone() for k, v in weights.items()}
        for v in weights.values():
            v.requires_grad_(True)
        result = run(weights, batch, kinks)
        loss = loss_of(result)
        grads = dict(zip(weights, torch.autograd.grad(loss, list(weights.values()))))
        optimiser = torch.optim.Adam(weights.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY, foreach=False)
        losses = []
        for step in steps:
            optimiser.zero_grad()
            cost = loss_of(run(weights, step, kinks))
            cost.backward()
            optimiser.step()
            losses.append(cost.item())
        if kinks.least >= margin(model) and all(felt(k, g, extents) for k, g in grads.items() if not unfelt(k, extents)):
            break
    else:
        raise SystemExit(f"{name}: found no draw in 100 that stays away from every kink")

    if encoders.aggregation(model) == "transformer":
        transformer.check(name, model, given, batch)
    if encoders.aggregation(model) == "groups":
        groups.check(name, model, given, batch)
    tensors = {k: batch[k] for k in NUMBERS if k in batch}
    tensors |= {f"w.{k}": v for k, v in given.items()}
    tensors |= {"loglik": result.loglik, "loss": loss, "components": result.components}
    if result.logit is not None:
        tensors["logit"] = result.logit
    tensors |= {f"g.{k}": v for k, v in grads.items()}
    tensors["losses"] = torch.tensor(losses)
    for i, step in enumerate(steps):
        tensors |= {f"step.{i}.{k}": step[k] for k in NUMBERS if k in step}
    metadata = {"model": json.dumps(model), "dx": str(dims[0]), "dy": str(dims[1]),
                "num_context": str(batch["num_context"]), **({"loss": "targets"} if name in TARGETS else {}),
                "step.num_context": json.dumps([s["num_context"] for s in steps]),
                "learning_rate": str(LEARNING_RATE), "weight_decay": str(WEIGHT_DECAY)}
    report(name, attempt, kinks, result, losses)
    return tensors, metadata


def margin(model):
    return MARGIN.get(encoders.aggregation(model), OTHER_MARGIN.get(model["name"], LEAST_MARGIN))


def felt(name, grad, extents):
    """Reports whether enough of the gradient is above 1e-6: dead units would test nothing."""
    return (grad.abs() > 1e-6).double().mean().item() >= (0.5 if extents[-1] > 1 else 0.3)


def unfelt(name, extents):
    """Reports whether all or much of a gradient is 0 in exact arithmetic: that of the last bias of attention's keys, which
    adds the same number to all scores of a softmax, and those of queries and keys if there is one context point."""
    one = extents[2] == 1 and ("in_proj" in name or "_attention._query" in name or "_attention._key" in name
                               or "_query_layers" in name or "_key_layers" in name)
    return name == "_encoder._attention._key_mlp._net.2.bias" or one


def report(name, attempt, kinks, result, losses):
    loglik, z = result.loglik, result.logit
    z = "" if z is None else f"  z {z.min():.1f}..{z.max():.1f}"
    print(f"{name:34} draw {attempt}  nearest kink {kinks.least:.1e}  "
          f"loglik {loglik.min():.2f}..{loglik.max():.2f}  losses {losses[0]:.4f}..{losses[-1]:.4f}{z}")


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: golden.py OUT_DIR")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    for number, (name, model, dims, extents, change) in enumerate(CASES):
        tensors, metadata = run_case(number, name, SMALL[model], dims, extents, change)
        save(os.path.join(sys.argv[1], name + ".safetensors"), tensors, metadata)
    exchange.write(os.path.join(sys.argv[1], "exchange"))


if __name__ == "__main__":
    main()
