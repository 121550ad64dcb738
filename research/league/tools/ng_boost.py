"""NGBoost: natural gradients of a normal distribution's mean and deviation, by trees, of y or log y."""
import numpy as np

import features
from scores import gaussians

NAME, KIND = "NGBoost", "rival"


def candidates(problem):
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [(log, n) for log in logs for n in (80,)]


def fit(problem, settings):
    from ngboost import NGBRegressor
    from sklearn.tree import DecisionTreeRegressor
    log, n = settings
    x, y = (a[:500] for a in features.rows(problem))
    y = np.log(y) if log else y
    tree = DecisionTreeRegressor(criterion="friedman_mse", max_depth=3, min_samples_leaf=5, random_state=0)
    m = NGBRegressor(Base=tree, n_estimators=n, learning_rate=0.05, verbose=False, random_state=0)
    m.fit(x, (y - y.mean()) / y.std())

    def predict(tasks):
        p = m.pred_dist(features.of(problem, tasks)).params
        return gaussians(y.mean() + y.std() * p["loc"], y.std() * np.maximum(p["scale"], 1e-3), log=log)
    return predict
