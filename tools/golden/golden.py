#!/usr/bin/python3
"""Reference results for internal/test/golden, in float64: gradients by autograd, steps by torch.optim.Adam.

    /usr/bin/python3 tools/golden/golden.py internal/test/golden/testdata

method.py has the models. Inputs and weights are float32 values, so that float32 and float64 programs start from the same
numbers. It writes one safetensors file for each case, and the files of exchange.py. README.md lists the tensors.
"""
import json
import os
import sys

import torch

import exchange
import transformer
from draw import draw_batch, draw_weights
from files import save
from layers import Kinks
from method import aggregation, forward, loss_of

STEPS = 10
LEARNING_RATE = 1e-3
WEIGHT_DECAY = 1e-3
# The smallest allowed distance of any ReLU input, or y - mu, from its kink. Float32 rounding is about 1e-7 here, so a
# float32 program takes the same side everywhere and its gradients can be compared. The distance is larger for BNP, whose
# decoder comes after two more networks, for attention, whose values go through a softmax and a sum over heads, and for
# transformers, which do that in every layer.
MARGIN = {"attention": 5e-6, "transformer": 1e-5}
OTHER_MARGIN = {"bnp": 1e-5}
LEAST_MARGIN = 2e-6


def saturate(weights, batch):
    """Scales psi's last layer and shifts its bias, so that the logits run from -30 to 30."""
    weight, bias = weights["_adaptor._net.6.weight"], weights["_adaptor._net.6.bias"]
    z = forward(SMALL["acqnp"], weights, batch, Kinks()).logit
    stretch, middle = 60 / (z.max() - z.min()), (z.max() + z.min()) / 2
    weight.copy_((weight * stretch).float())
    bias.copy_(((bias - middle) * stretch).float())


def floor_sigma(weights, batch):
    """Sets sigma at and just above 0.01 (the three channels' s around -20, -8 and -4)."""
    weights["_decoder._mlp._net.4.bias"][3:6] += torch.tensor([-20.0, -8.0, -4.0])


def end_levels(weights, batch):
    """Sets the smallest and the largest u that a 24-bit draw or a grid gives."""
    batch["u"][0, :, 0] = 0
    batch["u"][0, :, 1] = 1 - 2.0 ** -24
    batch["u"][1, :, 0] = 1


def sharpen(weights, batch):
    """Spreads the scores until half of the weights of the first head's softmax are below 1e-3."""
    for h, stretch in (0, 60), (1, 15):
        weights[f"_encoder._attention._attention._query_layers.{h}.weight"] *= stretch


def repeat_point(weights, batch):
    """Makes one bootstrap of the last context point alone, and one of equal residuals, which centring turns to 0."""
    batch["resample"][0, 0] = batch["num_context"] - 1
    batch["resample"][1, 1] = 0


SMALL = {name: {"name": name, "representation": 5, "encoder": [7, 6],
                **({"adaptor": [9, 4, 5]} if name == "acqnp" else {}), "decoder": [8, 7]}
         for name in ("cnp", "cqnp", "acqnp")}
SMALL |= {f"canp-{heads}": {"name": "canp", "representation": d, "encoder": [7], "decoder": [5], "key_encoder": [4],
                            "query_encoder": [5, 3], "heads": heads}
          for heads, d in ((1, 5), (2, 6), (3, 9))}
# Wide enough for the kernels that small layers do not use.
SMALL |= {"acqnp-wide": {"name": "acqnp", "representation": 96, "encoder": [96], "adaptor": [96], "decoder": [96]}}
SMALL |= {"bnp": {"name": "bnp", "width": 5, "pre_depth": 3, "post_depth": 2, "decoder_depth": 4}}



def encoder(name, kind, **keys):
    """Adds a small model with attention or a transformer to a model of SMALL."""
    return {**SMALL[name], "aggregation": kind, **keys}


def look(d, heads):
    return {"representation": d, "encoder": [7], "key_encoder": [4], "query_encoder": [5], "heads": heads}


def stack(d, heads, layers, feedforward):
    return {"representation": d, "encoder": [7], "heads": heads, "layers": layers, "feedforward": feedforward}


RESIDUAL = {"adaptor_form": "residual"}
SMALL |= {"acqnp-residual": {**SMALL["acqnp"], **RESIDUAL},
          "cnp-attention": encoder("cnp", "attention", **look(6, 2)),
          "cqnp-attention": encoder("cqnp", "attention", **look(9, 3)),
          "acqnp-attention": encoder("acqnp", "attention", **look(5, 1)),
          "acqnp-attention-residual": encoder("acqnp", "attention", **look(6, 2), **RESIDUAL),
          "cnp-transformer": encoder("cnp", "transformer", **stack(6, 2, 1, 5)),
          "cqnp-transformer": encoder("cqnp", "transformer", **stack(9, 3, 3, 7)),
          "acqnp-transformer": encoder("acqnp", "transformer", **stack(5, 1, 2, 9)),
          "acqnp-transformer-residual": encoder("acqnp", "transformer", **stack(6, 2, 3, 7), **RESIDUAL),
          "acqnp-transformer-wide": encoder("acqnp", "transformer", **stack(32, 2, 2, 48), **RESIDUAL)}
SMALL |= {f"{name}-sigma-floor": {**SMALL[name], "sigma_floor": floor} for name, floor in (("cnp", 0.01), ("bnp", 0.02), ("cqnp", 0.1))}

# name, model, (dx, dy), (B, N, N_c, N_tau or k), a function that changes weights and batch, or None
CASES = [(f"{name}-x{dx}-y{dy}", name, (dx, dy), extents, None)
         for name in ("cnp", "cqnp", "acqnp")
         for (dx, dy), extents in {(1, 1): (3, 6, 4, 5), (2, 1): (2, 7, 3, 3), (2, 3): (2, 6, 4, 5), (1, 3): (3, 7, 3, 1)}.items()]
CASES += [("acqnp-saturated", "acqnp", (1, 1), (3, 7, 4, 5), saturate),
          ("cqnp-floor", "cqnp", (2, 3), (2, 7, 4, 3), floor_sigma),
          ("cqnp-ends", "cqnp", (1, 1), (2, 6, 3, 1), end_levels)]
CASES += [("canp-x1-y1", "canp-3", (1, 1), (3, 6, 4, 0), None),
          ("canp-x2-y1", "canp-2", (2, 1), (2, 7, 3, 0), None),
          ("canp-x2-y3", "canp-3", (2, 3), (2, 6, 4, 0), None),
          ("canp-x1-y3", "canp-1", (1, 3), (3, 7, 3, 0), None),
          ("canp-sharp", "canp-2", (2, 1), (2, 7, 5, 0), sharpen),
          ("bnp-x1-y1", "bnp", (1, 1), (3, 6, 4, 4), None),
          ("bnp-x2-y1", "bnp", (2, 1), (2, 7, 3, 2), None),
          ("bnp-x2-y3", "bnp", (2, 3), (2, 6, 4, 4), None),
          ("bnp-x1-y3", "bnp", (1, 3), (3, 7, 3, 1), None),
          ("bnp-repeated", "bnp", (1, 1), (2, 6, 4, 2), repeat_point),
          ("acqnp-wide", "acqnp-wide", (1, 1), (2, 7, 4, 5), None)]
CASES += [("acqnp-residual-x1-y1", "acqnp-residual", (1, 1), (3, 6, 4, 5), None),
          ("acqnp-residual-x2-y2", "acqnp-residual", (2, 2), (2, 6, 6, 3), None),
          ("acqnp-residual-ends", "acqnp-residual", (1, 1), (2, 6, 3, 2), end_levels),
          ("cnp-attention-x2-y2", "cnp-attention", (2, 2), (2, 7, 3, 0), None),
          ("cnp-attention-targets", "cnp-attention", (1, 1), (3, 7, 3, 0), None),
          ("cqnp-attention-x1-y1", "cqnp-attention", (1, 1), (3, 6, 4, 5), None),
          ("acqnp-attention-x1-y1", "acqnp-attention", (1, 1), (3, 6, 4, 5), None),
          ("acqnp-attention-residual-x2-y2", "acqnp-attention-residual", (2, 2), (2, 6, 6, 3), None),
          ("acqnp-attention-residual-one", "acqnp-attention-residual", (1, 1), (2, 6, 1, 4), None),
          ("cnp-transformer-x1-y1", "cnp-transformer", (1, 1), (3, 7, 4, 0), None),
          ("cqnp-transformer-x2-y2", "cqnp-transformer", (2, 2), (2, 7, 3, 3), None),
          ("acqnp-transformer-x2-y1", "acqnp-transformer", (2, 1), (3, 6, 4, 5), None),
          ("acqnp-transformer-residual-x1-y1", "acqnp-transformer-residual", (1, 1), (3, 6, 4, 5), None),
          ("acqnp-transformer-residual-x2-y2", "acqnp-transformer-residual", (2, 2), (2, 6, 6, 3), None),
          ("acqnp-transformer-residual-one", "acqnp-transformer-residual", (1, 1), (2, 6, 1, 4), None),
          ("acqnp-transformer-residual-targets", "acqnp-transformer-residual", (2, 1), (3, 7, 4, 3), None),
          ("acqnp-transformer-wide", "acqnp-transformer-wide", (1, 1), (2, 7, 4, 5), None),
          ("cnp-sigma-floor", "cnp-sigma-floor", (1, 1), (3, 6, 4, 0), None),
          ("bnp-sigma-floor", "bnp-sigma-floor", (1, 1), (2, 6, 4, 2), None),
          ("cqnp-sigma-floor", "cqnp-sigma-floor", (1, 2), (2, 7, 4, 3), None)]
# The cases whose loss is that of the target points alone.
TARGETS = {"cnp-attention-targets", "acqnp-transformer-residual-targets"}
# The sizes (B, N, N_c, N_tau or k) of the batches of Adam's steps: (smallest, largest, increment) of each.
SIZES = {"canp": ((2, 3, 1), (6, 7, 1), (1, 5, 1), (0, 0, 1)), "bnp": ((2, 3, 1), (6, 7, 1), (1, 4, 1), (1, 4, 1))}
OTHER_SIZES = ((2, 3, 1), (6, 7, 1), (3, 4, 1), (1, 5, 2))
NUMBERS = ("x", "y", "u", "resample")


def run_case(number, name, model, dims, extents, change):
    """Returns the tensors and the metadata of one case. It draws again if a kink is too close for float32."""
    def run(weights, batch, kinks):
        result = forward(model, weights, batch, kinks)
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

    if aggregation(model) == "transformer":
        transformer.check(name, model, given, batch, Kinks())
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
    return MARGIN.get(aggregation(model), OTHER_MARGIN.get(model["name"], LEAST_MARGIN))


def felt(name, grad, extents):
    """Reports whether enough of the gradient is above 1e-6: dead units would test nothing."""
    return (grad.abs() > 1e-6).double().mean().item() >= (0.5 if extents[-1] > 1 else 0.3)


def unfelt(name, extents):
    """Reports whether a gradient is 0 in exact arithmetic, or much of it: that of the last bias of attention's keys, which
    adds the same number to all scores of a softmax, and of queries and keys if there is one context point."""
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
