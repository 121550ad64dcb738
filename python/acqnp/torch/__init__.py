"""What ``acqnp train`` trained, as a module of PyTorch.

    acqnp export --run runs/csv/acqnp-attention-small/seed-0 --out prices.safetensors

::

    import acqnp.torch

    model = acqnp.torch.load("prices.safetensors")
    prediction = model(context_x, context_y, target_x)  # [B, N_c, columns], [B, N_c, dy], [B, N, columns]
    prediction.mean(), prediction.quantile(0.9), prediction.log_prob(target_y)  # each [B, N, dy]
    loss = -prediction.log_prob(target_y).mean()  # its gradients train the weights further

All numbers are in the units of the data, as in ``acqnp predict``. It needs PyTorch 1.13 or later.
"""

import json
import struct

import torch

from . import _method
from ._encoders import aggregation
from ._prediction import Prediction
from ._units import Units

__all__ = ["NeuralProcess", "Prediction", "load"]

_KINDS = {"F32": torch.float32, "F64": torch.float64}


def load(path):
    """Return the :class:`NeuralProcess` in a file that ``acqnp export --format torch`` wrote."""
    with open(path, "rb") as f:
        content = bytearray(f.read())
    try:
        (size,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + size])
        metadata = header.pop("__metadata__", {})
        weights = {name: _tensor(content, 8 + size, **spec) for name, spec in header.items()}
    except (struct.error, ValueError, KeyError, TypeError) as e:
        raise ValueError(f"{path}: found no safetensors file ({e}), expected what acqnp export writes") from None
    if "configuration" not in metadata:
        raise ValueError(f"{path}: found no configuration in the metadata, expected what acqnp export --format torch writes")
    units = json.loads(metadata["units"]) if "units" in metadata else None
    return NeuralProcess(json.loads(metadata["configuration"]), weights, units)


def _tensor(content, start, dtype, shape, data_offsets):
    first, end = data_offsets
    return torch.frombuffer(content[start + first : start + end], dtype=_KINDS[dtype]).reshape(shape).clone()


class NeuralProcess(torch.nn.Module):
    """A CNP, CANP, BNP, CQNP or ACQNP with any encoder, adaptor, scale and head.

    ``configuration`` has the keys of the section ``model`` of a configuration, ``weights`` the tensors under the names of
    the authors' state_dict, which is that of this module, and ``units`` what becomes of each column, or None if the model
    sees the numbers themselves.
    """

    def __init__(self, configuration, weights, units=None):
        super().__init__()
        self.configuration, self.units = configuration, Units(units)
        for name, value in weights.items():
            *path, last = name.split(".")
            at = self
            for part in path:
                if part not in at._modules:
                    at.add_module(part, torch.nn.Module())
                at = at._modules[part]
            at.register_parameter(last, torch.nn.Parameter(value))

    def forward(self, context_x, context_y, target_x, levels=100, resample=50, ranges=None):
        """Return the :class:`Prediction` at target_x [B, N, columns of x] from context_x [B, N_c, columns of x] and
        context_y [B, N_c, dy].

        A name in a column of x is given by its index in ``model.units.x[c]["categories"]``, a date by the days since its
        ``origin``. The context may be empty, [B, 0, ...], but not for bnp.

        levels are the u of cqnp and acqnp: as many evenly spaced ones, or a tensor [N_tau] or [B, N_tau, N] of numbers
        from 0 to 1. resample is bnp's: as many random bootstraps, or the indices of context points and of residuals,
        [2, k, B, N_c]. ranges, of models that read groups in groups, are [B, N_c + N, 4]: for each context point, then
        each target, the context points [from, to) of its own group, and those of the siblings; without them there is one
        group.
        """
        weights = dict(self.named_parameters())
        like = next(iter(weights.values()))
        xc, x = (self.units.model_x(_like(v, like)).to(like.dtype) for v in (context_x, target_x))
        yc = self.units.model_y(_like(context_y, like)).to(like.dtype)
        if self.configuration["name"] == "bnp":
            found, _ = _method.bnp(self.configuration, weights, xc, yc, x, _resample(resample, xc))
            return Prediction(found, self.units, False)
        u = _levels(levels, x) if _method.has_levels(self.configuration) else None
        if aggregation(self.configuration) == "groups" and ranges is None:
            ranges = torch.tensor([0, xc.shape[1], 0, 0], device=x.device).expand(x.shape[0], xc.shape[1] + x.shape[1], 4)
        found = _method.predict(self.configuration, weights, xc, yc, x, u, ranges)
        return Prediction(found, self.units, u is not None or _method.parts(self.configuration) > 0)


def _like(v, like):
    """Return a tensor of v, of its own precision, where the weights are."""
    v = torch.as_tensor(v, device=like.device)
    return v if v.is_floating_point() else v.to(like.dtype)


def _levels(levels, x):
    if not isinstance(levels, torch.Tensor):
        levels = (torch.arange(levels, dtype=torch.float64) + 0.5) / levels
    levels = levels.to(x)
    return levels[:, None].expand(x.shape[0], -1, x.shape[1]) if levels.dim() == 1 else levels


def _resample(resample, xc):
    if isinstance(resample, torch.Tensor):
        return resample
    if not xc.shape[1]:
        raise ValueError("found no context point, expected at least one, which bnp resamples")
    return torch.randint(0, xc.shape[1], (2, resample, *xc.shape[:2]), device=xc.device)
