"""Models with a normal intercept of each group and any likelihood of y given x: maximum likelihood, where
the intercept is summed out over a grid. A new group's intercept has its posterior on the same grid."""
import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

GRID = np.linspace(-4, 4, 41)  # of intercepts, in their deviation; a finer one changes log scores by less than 0.001
PRIOR = -GRID**2 / 2 - logsumexp(-GRID**2 / 2)


class Intercepts:
    """The model η = X b + u g, with g ~ N(0, 1) for each group. The family's terms(y, η, extra) returns the log
    likelihood and its derivatives by η and by each of the extra parameters; all arrays [rows, grid]."""

    def __init__(self, family, X, y, groups, start, ridge):
        order = np.argsort(groups, kind="stable")
        X, y = X[order], y[order]
        of, first = np.unique(groups[order], return_inverse=True)[1], np.unique(groups[order], return_index=True)[1]
        self.family, p = family, X.shape[1]

        def loss(t):
            b, width, extra = t[:p], np.exp(t[p]), t[p + 1:]
            log, slope, *rest = family.terms(y, (X @ b)[:, None] + width * GRID, extra)
            joint = np.add.reduceat(log, first, axis=0) + PRIOR
            total = logsumexp(joint, axis=1, keepdims=True)
            w = np.exp(joint - total)[of]
            ws = w * slope
            gradient = np.concatenate([X.T @ ws.sum(1) - 2 * ridge * np.r_[0, b[1:]], [(ws * width * GRID).sum() - 0.04 * t[p]], [(w * d).sum() for d in rest]])
            value = total.sum() - ridge * (b[1:]**2).sum() - 0.02 * t[p]**2  # one group says nothing of the width
            return (-value, -gradient) if np.isfinite(value) else (1e10, np.zeros_like(t))

        t = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(None, None)] * p + [(-6, 4)] + [(-5, 6)] * (len(start) - p - 1), options=dict(maxiter=200)).x
        self.b, self.width, self.extra = t[:p], np.exp(t[p]), t[p + 1:]

    def eta(self, X):
        """Returns η on the grid of intercepts [rows, grid]."""
        return (X @ self.b)[:, None] + self.width * GRID

    def posterior(self, X, y):
        """Returns the probabilities of the grid given rows of a group [grid]."""
        log = PRIOR + (self.family.terms(y, self.eta(X), self.extra)[0].sum(0) if len(y) else 0)
        return np.exp(log - logsumexp(log))


class Design:
    """The columns of X: 1, the standardised columns of x and, of form "square", their squares and products, of
    form "log", logarithms of those that are positive, and products."""

    def __init__(self, x, form):
        self.mean, self.sd, self.form = x.mean(0), x.std(0) + 1e-9, form
        many = np.array([len(np.unique(c)) > 2 for c in x.T])
        self.squares = np.flatnonzero(many) if form == "square" else []
        self.logs = np.flatnonzero(many & (x > 0).all(0)) if form == "log" else []

    def __call__(self, x):
        z = (x - self.mean) / self.sd
        pairs = [(i, j) for i in range(z.shape[1]) for j in range(i) if self.form != "line"]
        return np.column_stack([np.ones(len(z)), z, *(z[:, j]**2 for j in self.squares), *(np.log(np.maximum(x[:, j], 1e-9)) for j in self.logs),
                                *(z[:, i] * z[:, j] for i, j in pairs)])
