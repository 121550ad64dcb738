"""The cases of golden.py: their models, sizes, and changes that make difficult numbers."""
import torch

from forward import forward


def saturate(weights, batch):
    """Scales psi's last layer and shifts its bias, so that the logits run from -30 to 30."""
    weight, bias = weights["_adaptor._net.6.weight"], weights["_adaptor._net.6.bias"]
    z = forward(SMALL["acqnp"], weights, batch).logit
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
SMALL |= {"canp-shared": {**SMALL["canp-3"], "heads_form": "shared"}}
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
SMALL |= {f"{name}-sigma-floor": {**SMALL[name], "sigma_floor": floor}
          for name, floor in (("cnp", 0.01), ("bnp", 0.02), ("cqnp", 0.1))}

NATURAL = {"scale_form": "natural"}
SMALL |= {"cqnp-natural": {**SMALL["cqnp"], **NATURAL},
          "acqnp-natural": {**SMALL["acqnp"], **NATURAL},
          "acqnp-residual-natural": {**SMALL["acqnp"], **RESIDUAL, **NATURAL}}
SMALL |= {"cnp-groups": encoder("cnp", "groups", **stack(6, 2, 2, 5)),
          "cqnp-groups-natural": encoder("cqnp", "groups", **stack(9, 3, 1, 7), **NATURAL),
          "acqnp-groups": encoder("acqnp", "groups", **stack(5, 1, 2, 9)),
          "acqnp-groups-residual-natural": encoder("acqnp", "groups", **stack(6, 2, 3, 7), **RESIDUAL, **NATURAL),
          "acqnp-groups-wide": encoder("acqnp", "groups", **stack(32, 2, 2, 32), **RESIDUAL, **NATURAL)}

SMALL |= {"cnp-gaussian-mixture": {**SMALL["cnp"], "head": "gaussian-mixture", "parts": 4, "sigma_floor": 0.016},
          "cnp-quantile-mixture": {**SMALL["cnp"], "head": "quantile-mixture", "parts": 5, "sigma_floor": 0.01},
          "cnp-attention-quantile-mixture": encoder("cnp", "attention", **look(6, 2), **NATURAL, head="quantile-mixture", parts=3)}

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
CASES += [("cqnp-natural-x2-y2", "cqnp-natural", (2, 2), (2, 7, 4, 3), None),
          ("cqnp-natural-ends", "cqnp-natural", (1, 1), (2, 6, 3, 1), end_levels),
          ("acqnp-natural-saturated", "acqnp-natural", (1, 1), (3, 7, 4, 5), saturate),
          ("acqnp-residual-natural-x1-y3", "acqnp-residual-natural", (1, 3), (3, 7, 3, 4), None)]
CASES += [("cnp-groups-x2-y2", "cnp-groups", (2, 2), (2, 7, 4, 0), None),
          ("cqnp-groups-natural-x1-y1", "cqnp-groups-natural", (1, 1), (2, 6, 4, 3), None),
          ("acqnp-groups-x2-y1", "acqnp-groups", (2, 1), (2, 7, 5, 4), None),
          ("acqnp-groups-residual-natural-targets", "acqnp-groups-residual-natural", (2, 1), (3, 9, 5, 3), None),
          ("acqnp-groups-wide", "acqnp-groups-wide", (1, 1), (2, 7, 4, 5), None)]
CASES += [("cnp-gaussian-mixture-x1-y2", "cnp-gaussian-mixture", (1, 2), (2, 7, 4, 0), None),
          ("cnp-quantile-mixture-x2-y2", "cnp-quantile-mixture", (2, 2), (2, 7, 4, 0), None),
          ("cnp-quantile-mixture-natural-x1-y1", "cnp-attention-quantile-mixture", (1, 1), (3, 6, 4, 0), None)]
CASES += [("canp-shared-x2-y2", "canp-shared", (2, 2), (2, 7, 4, 0), None)]
# The cases whose loss is that of the target points alone.
TARGETS = {"cnp-attention-targets", "acqnp-transformer-residual-targets", "acqnp-groups-residual-natural-targets"}
# The sizes (B, N, N_c, N_tau or k) of the batches of Adam's steps: (smallest, largest, increment) of each.
SIZES = {"canp": ((2, 3, 1), (6, 7, 1), (1, 5, 1), (0, 0, 1)), "bnp": ((2, 3, 1), (6, 7, 1), (1, 4, 1), (1, 4, 1))}
OTHER_SIZES = ((2, 3, 1), (6, 7, 1), (3, 4, 1), (1, 5, 2))
