"""The mixtures of all rivals: with equal weights, and with the weights that maximise the log score of
the inner folds (a stack). Each is a rival too."""
import numpy as np

from scores import LEVELS, crps


def weights(log, rounds=300):
    """Returns the weights [tools] of the mixture with the highest mean log score; log is [targets, tools]."""
    p = np.exp(log - log.max(1, keepdims=True))
    w = np.full(log.shape[1], 1 / log.shape[1])
    for _ in range(rounds):  # EM
        r = p * w
        w = (r / r.sum(1, keepdims=True)).mean(0)
    return w


def mixed(parts, y, w):
    """Returns log score, CRPS and PIT [targets] of the mixture of predictions with weights w."""
    log = np.stack([p["log_score"] for p in parts], 1)
    top = log.max(1)
    score = top + np.log(np.exp(log - top[:, None]) @ w)
    pit = np.stack([p["pit"] for p in parts], 1) @ w
    q = np.concatenate([p["quantiles"] for p in parts], 1)
    mass = np.repeat(w / len(LEVELS), len(LEVELS))
    at = np.argsort(q, 1)
    q, m = np.take_along_axis(q, at, 1), mass[at]
    level = np.cumsum(m, 1) - m / 2
    both = np.stack([np.interp(LEVELS, l, v) for l, v in zip(level, q)])
    return score, crps(both, y), pit
