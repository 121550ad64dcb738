"""A Gaussian process: y = m(x) + f_g(x) + ε with a mean m that all groups share (a process on 25
inducing points), a process f_g of each group with an intercept, and noise; y or log y. The height and
lengths maximise the marginal likelihood; a group is predicted by the exact conditional. A sample of
at most 800 rows is fitted. Where points are unseen, f_g is left out."""
import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize

from scores import gaussians

NAME, KIND = "Gaussian process", "simple"


def candidates(problem):
    """Returns the one setting of highest marginal likelihood, of y or of log y."""
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [max((GP(problem, log) for log in logs), key=lambda g: g.evidence).setting()]


class GP:
    def __init__(self, problem, log, theta=None):
        x, y, names = problem.rows()
        self.log, self.own = log, not problem.by_point
        self.cx, self.sx = x.mean(0), x.std(0) + 1e-9
        v = np.log(y) if log else y
        self.cy, self.sy = v.mean(), v.std() + 1e-12
        keep, groups = [], np.random.default_rng(0).permutation(list(problem.groups))
        for g in groups if self.own else []:
            keep += np.flatnonzero(names == g).tolist()[:60] if len(keep) < 800 else []
        keep = np.array(keep) if self.own else np.random.default_rng(0).permutation(len(y))[:800]
        self.x, self.y, self.g = self.put(x[keep]), (v[keep] - self.cy) / self.sy, names[keep]
        unique = np.unique(self.x, axis=0)
        self.z = unique if len(unique) <= 25 else kmeans2(self.x, 25, seed=1, minit="points")[0]
        self.blocks = [np.flatnonzero(self.g == g) for g in np.unique(self.g)] if self.own else np.array_split(np.arange(len(keep)), max(1, len(keep) // 50))
        d = x.shape[1]
        if theta is None:
            start = np.concatenate([[0.0, -0.7, -0.7, -1.2], np.full(d, 0.0), np.full(d, 0.3)])
            bounds = [(-3, 3), (-5, 2), (-6, 2), (-5, 1)] + [(-2.5, 3)] * 2 * d
            theta = minimize(lambda t: -self.solve(t), start, method="L-BFGS-B", bounds=bounds, options=dict(maxiter=15, maxfun=120)).x
        self.theta = theta
        self.evidence = self.solve(theta) / len(keep) - np.log(self.sy) - (v.mean() if log else 0)

    def put(self, x):
        return (x - self.cx) / self.sx

    def setting(self):
        return self.log, tuple(map(float, self.theta))

    def shared(self, a, b, t):
        return np.exp(2 * t[0] - (((a[:, None] - b) / np.exp(t[4:4 + a.shape[1]]))**2).sum(2) / 2)

    def group(self, a, b, t):
        if not self.own:
            return np.zeros((len(a), len(b)))
        return np.exp(2 * t[1]) + np.exp(2 * t[2] - (((a[:, None] - b) / np.exp(t[4 + a.shape[1]:]))**2).sum(2) / 2)

    def basis(self, x, t):
        """Returns Φ with m(x) = Φ w, w ~ N(0, I); an intercept is the last column."""
        L = np.linalg.cholesky(self.shared(self.z, self.z, t) + 1e-6 * np.exp(2 * t[0]) * np.eye(len(self.z)))
        return np.column_stack([solve_triangular(L, self.shared(self.z, x, t), lower=True).T, np.ones(len(x))])

    def solve(self, t):
        """Returns the log marginal likelihood, and keeps the posterior of w."""
        F, s2 = self.basis(self.x, t), np.exp(2 * t[3])
        A, b, out = np.eye(F.shape[1]), np.zeros(F.shape[1]), -len(self.y) / 2 * np.log(2 * np.pi)
        for i in self.blocks:
            L = np.linalg.cholesky(self.group(self.x[i], self.x[i], t) + s2 * np.eye(len(i))) if self.own else np.sqrt(s2)
            P, q = (solve_triangular(L, F[i], lower=True), solve_triangular(L, self.y[i], lower=True)) if self.own else (F[i] / L, self.y[i] / L)
            A, b = A + P.T @ P, b + P.T @ q
            out -= q @ q / 2 + (np.log(L.diagonal()).sum() if self.own else len(i) * np.log(L))
        c = cho_factor(A, lower=True)
        self.w, self.W = cho_solve(c, b), cho_solve(c, np.eye(len(A)))
        return out + b @ self.w / 2 - np.log(c[0].diagonal()).sum()

    def predict(self, task):
        t, tx, cx = self.theta, self.put(task.tx), self.put(task.cx)
        F, s2 = self.basis(tx, t), np.exp(2 * t[3])
        mean, var = F @ self.w, np.einsum("ij,jk,ik->i", F, self.W, F) + self.group(tx, tx, t).diagonal() + s2
        if self.own and len(cx):
            C = self.basis(cx, t)
            V = C @ self.W @ C.T + self.group(cx, cx, t) + s2 * np.eye(len(cx))
            K = F @ self.W @ C.T + self.group(tx, cx, t)
            B = np.linalg.solve(V, K.T).T
            cy = ((np.log(task.cy) if self.log else task.cy) - self.cy) / self.sy
            mean, var = mean + B @ (cy - C @ self.w), var - (B * K).sum(1)
        return self.cy + self.sy * mean, self.sy * np.sqrt(np.maximum(var, s2 / 2))


def fit(problem, setting):
    model = GP(problem, *setting)

    def predict(tasks):
        mean, sd = zip(*(model.predict(t) for t in tasks))
        return gaussians(np.concatenate(mean), np.concatenate(sd), log=setting[0])
    return predict
