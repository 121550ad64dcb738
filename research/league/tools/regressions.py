"""A mixture of heteroscedastic regressions: K lines in the features, each with a log-linear deviation
and a probability of its own, by EM; y or log y."""
import numpy as np

import features
from scores import tailed, gaussians

NAME, KIND = "mixture of regressions", "simple"


def candidates(problem):
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [(log, k, degree) for log in logs for k in (1, 2, 3) for degree in ((1, 3) if problem.by_point else (1, 2))]


def fit(problem, settings):
    log, k, degree = settings
    raw, y = features.rows(problem)
    y, center, scale = np.log(y) if log else y, raw.mean(0), raw.std(0) + 1e-9
    my, sy = y.mean(), y.std() + 1e-12
    v = (y - my) / sy
    dx = next(iter(problem.groups.values()))[0].shape[1]

    def design(f):
        z = np.clip((f - center) / scale, -4, 4)
        return np.column_stack([np.ones(len(z)), z] + [z[:, :dx]**d for d in range(2, degree + 1)]), np.column_stack([np.ones(len(z)), z[:, :dx + 2]])
    X, Z = design(raw)
    ridge = lambda A, w, b, r: np.linalg.solve((A * w[:, None]).T @ A + r * np.eye(A.shape[1]), (A * w[:, None]).T @ b)
    rest = v - X @ ridge(X, np.ones(len(v)), v, 1)
    R = np.eye(k)[np.minimum((np.argsort(np.argsort(rest)) * k) // len(v), k - 1)] * 0.8 + 0.2 / k
    B, G = np.zeros((X.shape[1], k)), np.zeros((Z.shape[1], k))
    G[0] = np.log(rest.std() + 1e-6)
    for _ in range(60):
        for j in range(k):
            s2 = np.exp(2 * np.clip(Z @ G[:, j], -6, 2))
            B[:, j] = ridge(X, R[:, j] / s2, v, 0.1)
            e2 = np.minimum((v - X @ B[:, j])**2 / s2, 25)
            G[:, j] += 0.5 * ridge(Z, R[:, j], (e2 - 1) / 2, 3 if Z.shape[1] > 1 else 0)
        P = R.mean(0)
        S = np.exp(np.clip(Z @ G, -6, 2))
        L = np.log(P + 1e-12) - np.log(S) - ((v[:, None] - X @ B) / S)**2 / 2
        R = np.exp(L - L.max(1, keepdims=True))
        R /= R.sum(1, keepdims=True)

    def predict(tasks):
        X, Z = design(features.of(problem, tasks))
        m, s, w = my + sy * X @ B, sy * np.exp(np.clip(Z @ G, -6, 2)), np.tile(P, (len(X), 1))
        return gaussians(m, s, w, True) if log else tailed(m, s, w, y)
    return predict
