"""A conditional kernel density: a Gaussian kernel in x and in the mixed model's prediction, one in y."""
import numpy as np

import features
from scores import tailed

NAME, KIND = "kernel density", "simple"


def candidates(problem):
    return [(wx, wf, h) for wx in (0.05, 0.15, 0.4, 1.2) for wf in ((0.1, 0.3, 1) if not problem.by_point else (0.1,)) for h in (0.05, 0.15, 0.4)]


def fit(problem, settings):
    wx, wf, h = settings
    columns = slice(0, next(iter(problem.groups.values()))[0].shape[1] + 1) if not problem.by_point else slice(None)
    x, y = (a[:1500] for a in features.rows(problem))
    x = x[:, columns]
    last = x.shape[1] - 1 if not problem.by_point else next(iter(problem.groups.values()))[0].shape[1]
    scale = (x.std(0) + 1e-9) * np.where(np.arange(x.shape[1]) < last, wx, wf)
    at = np.quantile(y, (np.arange(60) + 0.5) / 60)
    move = np.eye(60)[abs(y[:, None] - at).argmin(1)]

    def predict(tasks):
        a, b = x / scale, features.of(problem, tasks)[:, columns] / scale
        d = (a**2).sum(1) + (b**2).sum(1)[:, None] - 2 * b @ a.T
        w = np.exp((d.min(1, keepdims=True) - d) / 2) + 1e-12
        w = w @ move / w.sum(1, keepdims=True)
        return tailed(np.tile(at, (len(w), 1)), np.full(w.shape, h * y.std()), w, y)
    return predict
