"""The units of the data, and the numbers that a model sees."""

import torch


class Units:
    """What becomes of each column before the model sees it: (v - offset)/scale of v or, with log, of log(v + shift); or a
    column for each of the categories, whose index v is."""

    def __init__(self, columns=None):
        self.x, self.y = (columns[of] if columns else None for of in "xy")

    def model_x(self, raw):
        """Return the columns of x [..., dx] that the model sees."""
        return _columnwise(raw, self.x)

    def model_y(self, raw):
        return _columnwise(raw, self.y)

    def raw_y(self, v):
        """Return y in the units of the data."""
        if self.y is None:
            return v
        return torch.stack([_restored(v[..., c], column) for c, column in enumerate(self.y)], dim=-1)

    def log_slope(self, raw):
        """Return the logarithm of how fast the model's y grows with y in the units of the data."""
        if self.y is None:
            return torch.zeros_like(raw)
        slopes = [-torch.full_like(raw[..., c], column["scale"]).log() - (raw[..., c].log() if column.get("log") else 0) for c, column in enumerate(self.y)]
        return torch.stack(slopes, dim=-1)


def _columnwise(raw, columns):
    if columns is None:
        return raw
    if raw.shape[-1] != len(columns):
        raise ValueError(f"found {raw.shape[-1]} columns, expected {', '.join(c['name'] for c in columns)}")
    return torch.cat([_seen(raw[..., c : c + 1], column) for c, column in enumerate(columns)], dim=-1)


def _seen(v, column):
    if "categories" in column:
        return (v == torch.arange(len(column["categories"]), device=v.device)).to(v.dtype)
    if column.get("log"):
        v = (v + column.get("shift", 0)).log()
    return (v - column["offset"]) / column["scale"]


def _restored(v, column):
    v = column["offset"] + column["scale"] * v
    return v.exp() if column.get("log") else v
