"""The conditional normal of a common grid: where most groups have the same x, a group's y are one
multivariate normal, whose covariance is shrunk to a constant correlation. EM fills what is missing.
Columns that are the same for all rows of a group shift the mean, also by x."""
import numpy as np

from protocol import Skip
from scores import gaussians

NAME, KIND = "conditional normal", "simple"


def candidates(problem):
    x, y, names = problem.rows()
    moving = [j for j in range(x.shape[1]) if any(np.ptp(v[:, j]) > 0 for v, _ in problem.groups.values())]
    if problem.by_point or len(moving) != 1:
        raise Skip("no grid of one x that groups have in common")
    grid, share = np.unique(x[:, moving[0]]), len(y) / len(problem.groups)
    if len(grid) < 2 or len(grid) > 60 or share < 0.6 * len(grid):
        raise Skip("no grid of one x that groups have in common")
    logs = [False] + [True] * bool((y > 0).all())
    return [(moving[0], log, s) for log in logs for s in (0.05, 0.2, 0.5)]


def fit(problem, setting):
    at, log, shrink = setting
    x, y, names = problem.rows()
    put = np.log if log else lambda v: v
    grid = np.unique(np.concatenate([(problem.root or problem).rows()[0][:, at]]))

    def design(x):
        rest, t = np.delete(x, at, 1), (x[:, [at]] - grid.mean()) / (np.ptp(grid) + 1e-9)
        return np.column_stack([abs(x[:, [at]] - grid) == abs(x[:, [at]] - grid).min(1, keepdims=True), rest, rest * t]).astype(float)
    X = design(x)
    beta = np.linalg.solve(X.T @ X + 1e-3 * np.eye(X.shape[1]), X.T @ (put(y) - put(y).mean()))
    center, d = put(y).mean(), len(grid)
    where = lambda x: abs(x[:, [at]] - grid).argmin(1)
    rest = [(where(a), put(b) - center - design(a) @ beta) for a, b in problem.groups.values()]
    S = np.eye(d) * np.var(np.concatenate([r for _, r in rest]))
    for _ in range(15):  # EM
        total = np.zeros((d, d))
        for i, r in rest:
            B = np.linalg.solve(S[np.ix_(i, i)] + 1e-9 * S[0, 0] * np.eye(len(i)), S[i]).T
            e = B @ r
            total += np.outer(e, e) + S - B @ S[i]
        S = total / max(1, len(rest) - 1)
        sd = np.sqrt(np.maximum(S.diagonal(), 1e-6 * S.diagonal().mean()))
        C = S / np.outer(sd, sd)
        same = np.clip((C.sum() - d) / (d * (d - 1)), 0, 0.999)
        C = (1 - shrink) * C + shrink * (np.eye(d) * (1 - same) + same)
        sd = np.sqrt((1 - shrink) * sd**2 + shrink * (sd**2).mean())
        S = C * np.outer(sd, sd) + 1e-6 * (sd**2).mean() * np.eye(d)
    spread = 1 + 1 / len(rest)

    def one(t):
        i, c = where(t.tx), where(t.cx)
        mean, var = center + design(t.tx) @ beta, S.diagonal()[i]
        if len(c):
            A = np.linalg.solve(S[np.ix_(c, c)] + 1e-6 * S[0, 0] * np.eye(len(c)), S[np.ix_(c, i)]).T
            mean, var = mean + A @ (put(t.cy) - center - design(t.cx) @ beta), var - (A * S[np.ix_(i, c)]).sum(1)
        return mean, np.sqrt(spread * np.maximum(var, 1e-6 * S.diagonal().mean()))

    def predict(tasks):
        mean, sd = zip(*map(one, tasks))
        return gaussians(np.concatenate(mean), np.concatenate(sd), log=log)
    return predict
