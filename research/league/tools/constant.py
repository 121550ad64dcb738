"""One distribution for all targets: the training part's y, each as a Gaussian. Nothing is simpler."""
import numpy as np

from scores import tailed

NAME, KIND = "constant", "simple"


def candidates(problem):
    return [0.01, 0.05, 0.15, 0.4, 1]  # deviation of the Gaussians, in that of y


def fit(problem, width):
    y = problem.rows()[1]
    at = np.quantile(y, (np.arange(100) + 0.5) / 100)

    def predict(tasks):
        n = sum(len(t.tx) for t in tasks)
        return tailed(np.tile(at, (n, 1)), np.full((n, 100), width * y.std()), np.full((n, 100), 0.01), y)
    return predict
