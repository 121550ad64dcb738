"""GPBoost: boosted trees for the mean, and for each group a random intercept and a random slope of the
column that moves most within groups. A new group is predicted by the conditional normal given its
context, with the variances that GPBoost estimates; y or log y."""
import numpy as np

from protocol import Skip
from scores import gaussians

NAME, KIND = "GPBoost", "rival"


def candidates(problem):
    if problem.by_point:
        raise Skip("it needs groups")
    logs = [False] + [True] * bool((problem.rows()[1] > 0).all())
    return [(log, n) for log in logs for n in (15, 60)]


def fit(problem, settings):
    import gpboost as gpb
    log, n = settings
    x, y, names = problem.rows()
    y = np.log(y) if log else y
    my, sy = y.mean(), y.std() + 1e-12
    at = np.argmax([np.mean([np.var(v[:, j]) for v, _ in problem.groups.values()]) / (x[:, j].var() + 1e-12) for j in range(x.shape[1])])
    center, scale = x[:, at].mean(), x[:, at].std() + 1e-12
    slope = lambda v: (v[:, [at]] - center) / scale
    model = gpb.GPModel(group_data=names, group_rand_coef_data=slope(x), ind_effect_group_rand_coef=[1], likelihood="gaussian", num_parallel_threads=1)
    keys = dict(learning_rate=0.1, max_depth=3, num_leaves=6, min_data_in_leaf=min(10, max(2, len(y) // 20)), verbose=-1, num_threads=1)
    trees = gpb.train(params=keys, train_set=gpb.Dataset(x, (y - my) / sy, params=dict(verbose=-1)), gp_model=model, num_boost_round=n)
    noise, *effects = np.asarray(model.get_cov_pars()).ravel()[:3]
    mean = lambda v: trees.predict(data=v, group_data_pred=np.repeat("new", len(v)), group_rand_coef_data_pred=slope(v),
                                   predict_var=False, pred_latent=True)["fixed_effect"]
    wide = lambda v: np.column_stack([np.ones(len(v)), slope(v)]) * np.sqrt(effects)

    def predict(tasks):
        F = mean(np.concatenate([v for t in tasks for v in (t.cx, t.tx)]))
        out, i = [], 0
        for t in tasks:
            c, n = len(t.cx), len(t.tx)
            fc, ft, i = F[i:i + c], F[i + c:i + c + n], i + c + n
            Zc, Zt = wide(t.cx), wide(t.tx)
            A = np.linalg.solve(Zc @ Zc.T + noise * np.eye(c), Zc @ Zt.T).T
            r = ((np.log(t.cy) if log else t.cy) - my) / sy - fc
            out.append((ft + A @ r, (Zt * Zt).sum(1) - (A * (Zt @ Zc.T)).sum(1) + noise))
        m, v = map(np.concatenate, zip(*out))
        return gaussians(my + sy * m, sy * np.sqrt(v), log=log)
    return predict
