"""The linear mixed model: y = X β + Z b_f + ε, b_f ~ N(0, G) for each group f, ε ~ N(0, σ²).

X has powers of the columns of x, Z those up to a lower degree. Restricted maximum likelihood gives
G and σ. A new group is predicted by the exact conditional Gaussian of its targets given its
context. β is integrated out, so that the prediction knows how little few groups tell about it.
"""
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from scores import gaussians


@dataclass
class Form:
    """What validation chooses."""
    degree: int  # of X
    random: int  # degree of Z; −1: none
    logx: bool
    logy: bool
    separate: bool = False  # β of its own for each group, where points are held out

    def __str__(self):
        extra = " log x" * self.logx + " log y" * self.logy
        return f"degree {self.degree}" + (f" random {self.random}" if self.random >= 0 else "") + extra


def forms(groups, by_point):
    """Returns the forms that fit the data."""
    x, y = np.concatenate([f[0] for f in groups.values()]), np.concatenate([f[1] for f in groups.values()])
    least = min(len(np.unique(c)) for c in x.T)
    degrees = [d for d in (1, 2, 3, 5) if x.shape[1] * d < len(y) / 4 and d < max(2, max(len(np.unique(c)) for c in x.T))]
    logs = [False] + [True] * bool(least > 2 and (x > 0).all() and x.max() > 3 * x.min())
    for logy in [False] + [True] * bool((y > 0).all()):
        for logx in logs:
            for d in degrees:
                for r in [-1] if by_point else range(0, min(d, 2) + 1):
                    if 1 + r * x.shape[1] <= 4:
                        yield Form(d, r, logx, logy, by_point)


class Mixed:
    def __init__(self, form, groups):
        self.form, self.names = form, list(groups)
        raw = self.inner(np.concatenate([x for x, _ in groups.values()]))
        self.center, self.scale = raw.mean(0), raw.std(0) + 1e-12
        self.levels = [len(np.unique(c)) for c in raw.T]
        f = [(self.fixed(x, n), self.random(x), self.outer(y)) for n, (x, y) in groups.items()]
        self.fit(f)

    def inner(self, x):
        return np.log(x) if self.form.logx else x

    def outer(self, y):
        return np.log(y) if self.form.logy else y

    def powers(self, x, degree):
        """Returns 1 and the powers of all columns [n, p]; a column of k values has k − 1 powers."""
        x = (self.inner(x) - self.center) / self.scale
        return np.concatenate([np.ones((len(x), 1))] + [x[:, [j]]**d for j, k in enumerate(self.levels)
                                                        for d in range(1, min(degree, k - 1) + 1)], 1)

    def fixed(self, x, name):
        p = self.powers(x, self.form.degree)
        if not self.form.separate:
            return p
        return np.concatenate([p * (n == name) for n in self.names], 1)

    def random(self, x):
        """Returns Z. A column that is the same for all rows of a group adds nothing to the slopes
        that data could tell, but does no harm either."""
        return self.powers(x, self.form.random) if self.form.random >= 0 else np.zeros((len(x), 0))

    def fit(self, f):
        X, Z, y = (np.concatenate([g[i] for g in f]) for i in range(3))
        self.q, n, p = Z.shape[1], len(y), X.shape[1]
        zz, zx, zy = (np.stack([g[1].T @ g[i] for g in f]) for i in (1, 0, 2))
        xx, xy, yy = X.T @ X, X.T @ y, y @ y
        tri = np.tril_indices(self.q)

        def profile(theta):
            """Returns −2 log REML, the factor of G/σ², β, the inverse of X'V⁻¹X, σ², and −2 log likelihood."""
            L = np.zeros((self.q, self.q))
            L[tri] = theta
            M = np.eye(self.q) + L.T @ zz @ L
            lx = (L.T @ np.concatenate([zx, zy[:, :, None]], 2))  # [groups, q, p + 1]
            both = lx.reshape(-1, p + 1).T @ np.linalg.solve(M, lx).reshape(-1, p + 1)
            A, b, c = xx - both[:p, :p], xy - both[:p, p], yy - both[p, p]
            A += 1e-10 * np.trace(A) / p * np.eye(p)
            beta = np.linalg.solve(A, b)
            rss, spread = max(c - b @ beta, 1e-12 * yy), np.linalg.slogdet(M)[1].sum()
            deviance = spread + np.linalg.slogdet(A)[1] + (n - p) * np.log(rss / (n - p))
            return deviance, L, beta, np.linalg.inv(A), rss / (n - p), spread + n * np.log(2 * np.pi * np.e * rss / n)

        theta = np.eye(self.q)[tri]
        if self.q:
            theta = minimize(lambda t: profile(t)[0], theta, method="BFGS", options=dict(maxiter=30, gtol=1e-2)).x
        self.deviance, L, self.beta, inverse, self.noise, full = profile(theta)
        self.bic = full + (p + len(theta) + 1) * np.log(n) + 2 * self.form.logy * y.sum()  # of raw y, at the estimates of REML
        self.G, self.C = L @ L.T * self.noise, inverse * self.noise

    def predict(self, task):
        """Returns mean and standard deviation of each target given the context, in units of outer."""
        Xc, Zc = self.fixed(task.cx, task.group), self.random(task.cx)
        Xt, Zt = self.fixed(task.tx, task.group), self.random(task.tx)
        mean, var = Xt @ self.beta, np.einsum("ij,jk,ik->i", Zt, self.G, Zt) + np.einsum("ij,jk,ik->i", Xt, self.C, Xt)
        if self.q and len(Xc):
            V = Zc @ self.G @ Zc.T + Xc @ self.C @ Xc.T + self.noise * np.eye(len(Xc))
            K = Zt @ self.G @ Zc.T + Xt @ self.C @ Xc.T
            W = np.linalg.solve(V, K.T).T
            mean, var = mean + W @ (self.outer(task.cy) - Xc @ self.beta), var - (W * K).sum(1)
        return mean, np.sqrt(var + self.noise)


def candidates(problem):
    """Returns a cubic and a straight form for each choice of logarithms."""
    every = list(forms(problem.groups, problem.by_point))
    return [f for f in every if f.degree in (1, 3) and f.random in (-1, 1)] or [f for f in every if f.random <= 0]


def refine(problem, best):
    """Returns the forms of other degrees with the logarithms of the best."""
    every = forms(problem.groups, problem.by_point)
    return [f for f in every if (f.logx, f.logy) == (best.logx, best.logy) and f not in candidates(problem)]


def fit(problem, form):
    model = Mixed(form, problem.groups)

    def predict(tasks):
        mean, sd = zip(*(model.predict(t) for t in tasks))
        return gaussians(np.concatenate(mean), np.concatenate(sd), log=form.logy)
    return predict
