"""A mixed model of two levels of groups, named "school/class": intercepts of schools, intercepts and slopes of
classes, restricted maximum likelihood. A new class is predicted by the exact conditional Gaussian given its
context and all that the training part has of its school. The slope is of the column that moves most within
classes; y or log y."""
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from protocol import Skip
from scores import gaussians

NAME, KIND = "nested mixed model", "rival"


def candidates(problem):
    if problem.by_point or not all("/" in name for name in problem.groups):
        raise Skip("it needs two levels of groups")
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [(log, degree) for log in logs for degree in (1, 2, 3)]


class Nested:
    def __init__(self, problem, log, degree):
        self.put, self.degree = np.log if log else np.asarray, degree
        x = problem.rows()[0]
        self.mean, self.sd, self.levels = x.mean(0), x.std(0) + 1e-9, [len(np.unique(c)) for c in x.T]
        self.at = np.argmax([np.mean([np.var(v[:, j]) for v, _ in problem.groups.values()]) / self.sd[j]**2 for j in range(x.shape[1])])
        self.schools = {}
        for name, (x, y) in problem.groups.items():
            self.schools.setdefault(name.rpartition("/")[0], []).append((x, self.put(y), np.repeat(name, len(y))))
        self.schools = {s: [np.concatenate(p) for p in zip(*parts)] for s, parts in self.schools.items()}
        self.theta = minimize(lambda t: self.solve(t), np.log([1, 0.5, 0.2]), method="L-BFGS-B", bounds=[(-5, 4)] * 3, options=dict(maxiter=40)).x
        self.solve(self.theta)

    def fixed(self, x):
        z = (x - self.mean) / self.sd
        return np.column_stack([np.ones(len(z))] + [z[:, j]**d for j, k in enumerate(self.levels) for d in range(1, min(self.degree, k - 1) + 1)])

    def covariance(self, x, name, other, names, t):
        """Returns that of y without noise, of rows of one school, in units of the noise's variance."""
        school, line, slope = np.exp(2 * t)
        z, w = (x[:, self.at] - self.mean[self.at]) / self.sd[self.at], (other[:, self.at] - self.mean[self.at]) / self.sd[self.at]
        return school + (name[:, None] == names) * (line + slope * z[:, None] * w)

    def solve(self, t):
        """Returns −2 log REML, and keeps β, its covariance and the noise's variance."""
        A, b, c, log, n = 0, 0, 0, 0, 0
        for x, y, names in self.schools.values():
            X, V = self.fixed(x), cho_factor(self.covariance(x, names, x, names, t) + np.eye(len(y)), lower=True)
            W = cho_solve(V, np.column_stack([X, y]))
            A, b, c = A + X.T @ W[:, :-1], b + X.T @ W[:, -1], c + y @ W[:, -1]
            log, n = log + 2 * np.log(V[0].diagonal()).sum(), n + len(y)
        p = len(b)
        A = A + 1e-10 * np.trace(A) / p * np.eye(p)
        self.beta = np.linalg.solve(A, b)
        self.noise = max(c - b @ self.beta, 1e-12 * c) / (n - p)
        self.C = np.linalg.inv(A) * self.noise
        return log + np.linalg.slogdet(A)[1] + (n - p) * np.log(self.noise)

    def predict(self, task):
        x, y, names = self.schools.get(task.group.rpartition("/")[0], (task.cx[:0], task.cy[:0], np.array([], str)))
        own = lambda v: np.repeat(task.group, len(v))
        x, y, names = np.concatenate([x, task.cx]), np.concatenate([y, self.put(task.cy)]), np.concatenate([names, own(task.cx)])
        X, T = self.fixed(x), self.fixed(task.tx)
        K = self.noise * self.covariance(task.tx, own(task.tx), x, names, self.theta)
        V = self.noise * (self.covariance(x, names, x, names, self.theta) + np.eye(len(y)))
        var = self.noise * (self.covariance(task.tx, own(task.tx), task.tx, own(task.tx), self.theta).diagonal() + 1)
        B = np.linalg.solve(V, K.T).T if len(y) else np.zeros((len(T), 0))
        R = T - B @ X  # exact for siblings; the context has not told of β, so with one this is a little wide
        return T @ self.beta + B @ (y - X @ self.beta), np.sqrt(var - (B * K).sum(1) + np.einsum("ij,jk,ik->i", R, self.C, R))


def fit(problem, settings):
    model = Nested(problem, *settings)

    def predict(tasks):
        mean, sd = zip(*(model.predict(t) for t in tasks))
        return gaussians(np.concatenate(mean), np.concatenate(sd), log=settings[0])
    return predict
