"""mgcv's additive models: smooths of each column, a factor smooth (bs="fs") of the column that moves
within groups, and the families gaussian, gaulss and scat, of y or of log y, whichever AIC prefers
(mgcv.R). A new group's smooth is given its context by the exact conditional of its prior, which
mgcv's penalty states; for scat by iterated weights. At most 40 groups (gaulss: 20) and 1,500 rows,
drawn at random, are fitted. A family is left out where a fit of it takes more than 10 s."""
import csv
import os
import subprocess

import numpy as np
from scipy import stats

from protocol import Skip
from scores import Components, gaussians

NAME, KIND = "mgcv", "rival"
Z = stats.norm.ppf((np.arange(9) + 0.5) / 9)


def candidates(problem):
    x, y, names = problem.rows()
    if problem.by_point and len(problem.groups) > 1:
        raise Skip("smooths of known groups are not written")
    keep = np.isin(names, np.random.default_rng(0).permutation(list(problem.groups))[:40])
    keep &= np.random.default_rng(1).permutation(len(y)) < 1500 * len(y) / keep.sum()
    folder = os.path.join(problem.folder, "mgcv")
    os.makedirs(folder, exist_ok=True)
    fold = np.zeros(len(y), int)
    for k, (inner, _) in enumerate(problem.folds()):
        have = {(n, *a, b) for n, (u, v) in inner.groups.items() for a, b in zip(u.tolist(), v.tolist())}
        fold[[(n, *a, b) not in have for n, a, b in zip(names.tolist(), x.tolist(), y.tolist())]] = k + 1
    ly = np.log(np.where(y > 0, y, np.nan))
    sx, move = (x.mean(0), x.std(0) + 1e-9), [(v.mean(), v.std() + 1e-12) for v in (y, ly)]
    with open(os.path.join(folder, "rows.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["g", *(f"x{j}" for j in range(x.shape[1])), "y", "ly", "jacobian", "fold"])
        columns = [(x - sx[0]) / sx[1], (y - move[0][0]) / move[0][1], (ly - move[1][0]) / move[1][1], ly + np.log(move[1][1] / move[0][1]), fold]
        w.writerows([n, *map(float, r[:-1]), int(r[-1])] for n, r in zip(names[keep], np.column_stack(columns)[keep]))
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mgcv.R")
    done = subprocess.run(["Rscript", script, folder], capture_output=True, text=True)
    if done.returncode:
        raise Skip("mgcv: " + done.stderr.strip().splitlines()[-1])
    choice = next(csv.DictReader(open(os.path.join(folder, "choice.csv"))))
    log = choice["y"] == "ly"
    last = os.path.join(folder, f"{len(problem.folds())}-%s-noise.csv")
    return [(family, log, sx, move[log]) for family in ("gaussian", "scat", "gaulss") if os.path.exists(last % family)]


def fit(problem, settings):
    family, log, (cx, sx), (cy, sy) = settings
    folder = os.path.join(problem.folder, "mgcv")
    k = 0 if problem.root is None else 1 + [p for p, _ in problem.root.folds()].index(problem)
    read = lambda name: np.loadtxt(os.path.join(folder, f"{k}-{family}-{name}.csv"), delimiter=",", ndmin=2)
    if not os.path.exists(os.path.join(folder, f"{k}-{family}-rows.csv")):
        raise np.linalg.LinAlgError
    rows, cov, (beta, own, part) = read("rows"), read("cov"), read("coef")
    nu, sd = read("noise")[0]
    own, first = own == 1, part == 1
    prior = np.where(np.outer(~own, ~own), cov, 0)
    if own.any():
        prior[np.ix_(own, own)] = np.linalg.inv(read("prior") + 1e-8 * np.eye(own.sum()))
    start = np.where(own, 0, beta)
    tables = rows[1:].reshape(-1, 200, rows.shape[1])
    allx = np.loadtxt(os.path.join(folder, "rows.csv"), delimiter=",", skiprows=1, usecols=range(1, 1 + len(cx)), ndmin=2)
    low, high = allx.min(0), allx.max(0)

    def design(x):
        L = np.tile(rows[0], (len(x), 1))
        for j, t in enumerate(tables):
            at = np.clip(((x[:, j] - cx[j]) / sx[j] - low[j]) / (high[j] - low[j] + 1e-12) * 199, 0, 199)
            i = np.minimum(at.astype(int), 198)
            L += t[i] + (at - i)[:, None] * (t[i + 1] - t[i]) - rows[0]
        return L

    def deviation(L):
        return np.exp((L * ~first) @ beta) + 0.01 if family == "gaulss" else np.full(len(L), sd)

    def one(t):
        T, b, V = design(t.tx) * first, start, prior
        if len(t.cy):
            raw = design(t.cx)
            C, s2 = raw * first, deviation(raw)**2
            r0, weight = ((np.log(t.cy) if log else t.cy) - cy) / sy - C @ start, np.ones(len(t.cy))
            for _ in range(10 if family == "scat" else 1):
                A = np.linalg.solve(C @ prior @ C.T + np.diag(s2 / weight), C @ prior).T
                b, V = start + A @ r0, prior - A @ C @ prior
                weight = (nu + 1) / (nu + (r0 - C @ (b - start))**2 / s2) if family == "scat" else weight
        return T @ b, np.maximum(np.einsum("ij,jk,ik->i", T, V, T), 0), deviation(design(t.tx))

    def predict(tasks):
        mean, var, s = map(np.concatenate, zip(*map(one, tasks)))
        mean = cy + sy * mean
        if family != "scat":
            return gaussians(mean, sy * np.sqrt(var + s**2), log=log)
        loc = mean[:, None] + sy * np.sqrt(var)[:, None] * Z
        return Components(stats.t(nu), loc, np.broadcast_to(sy * s[:, None], loc.shape), np.full(loc.shape, 1 / len(Z)), log)
    return predict
