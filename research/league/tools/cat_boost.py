"""CatBoost's boosting of a Gaussian's mean and variance, of y or of log y (RMSEWithUncertainty)."""
import numpy as np

import features
from scores import gaussians

NAME, KIND = "CatBoost", "rival"


def candidates(problem):
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [(log, depth, n) for log in logs for depth, n in ((2, 60), (2, 200), (4, 120))]


def fit(problem, settings):
    from catboost import CatBoostRegressor
    log, depth, n = settings
    x, y = features.rows(problem)
    y = np.log(y) if log else y
    m = CatBoostRegressor(loss_function="RMSEWithUncertainty", iterations=n, depth=depth, learning_rate=0.05,
                          thread_count=1, random_seed=0, verbose=False, allow_writing_files=False)
    m.fit(x, (y - y.mean()) / y.std())

    def predict(tasks):
        mean, variance = m.predict(features.of(problem, tasks)).T
        return gaussians(y.mean() + y.std() * mean, y.std() * np.sqrt(variance), log=log)
    return predict
