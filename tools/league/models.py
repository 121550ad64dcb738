"""The rivals. Each takes a Problem and returns its predictions of the test tasks and the settings
that validation chose. It fits every candidate on `train`, keeps the one with the highest mean log
density of the validation targets, and fits that one again on `all`."""
import numpy as np

import features
from mixed import Mixed, forms
from scores import gaussians

SEED = 0


def stack(tasks, field="ty"):
    return np.concatenate([getattr(t, field) for t in tasks])


def predicted(model, tasks):
    mean, sd = zip(*(model.predict(t) for t in tasks))
    return gaussians(np.concatenate(mean), np.concatenate(sd), log=model.form.logy)


def mixed_model(problem):
    """The linear mixed model; where points are held out, a polynomial regression."""
    form = mixed_form(problem)
    return predicted(Mixed(form, problem.all), problem.test), form


FEW = 40  # functions


def mixed_form(problem):
    """Returns the form of the mixed model that validation prefers. With few functions, one tenth of
    them says little, so all training functions take turns: five folds."""
    if problem.form:
        return problem.form
    rounds = [(problem.train, problem.valid)]
    if problem.set.context and len(problem.all) < FEW:
        n = min(5, len(problem.all))
        rounds = [problem.fold(i, n) for i in range(n)]

    def value(form):
        try:
            log = [predicted(Mixed(form, fit), valid).log_density(stack(valid)) for fit, valid in rounds]
            return np.nan_to_num(np.concatenate(log).mean(), nan=-np.inf)
        except np.linalg.LinAlgError:
            return -np.inf

    problem.form = max(forms(problem.all, not problem.set.context), key=value)
    return problem.form


class Table:
    """Features and y of the three parts. `tune` has the mixed model fitted without validation
    functions, `final` with them."""

    def __init__(self, problem):
        chosen = mixed_form(problem) if problem.set.context else None
        self.problem = problem
        self.tune = self.part(chosen, problem.train, problem.valid)
        self.final = self.part(chosen, problem.all, problem.test)
        self.valid_y = stack(problem.valid)

    def part(self, form, functions, tasks):
        mixed = Mixed(form, functions) if self.problem.set.context else None
        x, y = features.rows(self.problem, functions, mixed)
        return x, y, features.of(self.problem, tasks, mixed)

    def choose(self, candidates):
        """Returns the best of candidates: pairs of settings and predictions of the validation."""
        return max(candidates, key=lambda c: c[1].log_density(self.valid_y).mean())[0]


SMOOTH = [(c, h) for c in (0.5, 1, 2) for h in (0.02, 0.1, 0.2, 0.4)]


TAILS = 0.002  # the weight of two wide Gaussians, for targets unlike any in training
WIDE = np.array([3, 10])  # their deviations, in those of the training part's y


def tailed(mu, sigma, weight, y):
    """Returns mixtures of Gaussians [targets, K] with wide tails around the mean of y."""
    tail = np.ones((len(mu), 2))
    return gaussians(np.hstack([mu, tail * y.mean()]), np.hstack([sigma, tail * WIDE * y.std()]),
                     np.hstack([weight * (1 - TAILS), tail * TAILS / 2]))


def smooth(quantiles, y, c, h):
    """Returns the density of quantiles [targets, K] at the levels (k − 1/2)/K: K Gaussians of equal
    weight at the quantiles, and tails. Their deviations are c times the distance of neighbours plus
    h times the deviation of y."""
    q = np.sort(quantiles, 1)
    return tailed(q, c * np.gradient(q, axis=1) + h * y.std(), np.full(q.shape, 1 / q.shape[1]), y)


def smoothed(table, fit):
    """Yields ((settings, c, h), predictions) for all smoothings of a fit's quantiles."""
    settings, quantiles = fit
    for c, h in SMOOTH:
        yield (settings, c, h), smooth(quantiles, table.tune[1], c, h)


def boosted(problem):
    """Gradient-boosted quantiles: LightGBM with the pinball loss, one model a level."""
    import lightgbm as lgb
    levels, rounds = (np.arange(20) + 0.5) / 20, 200
    table = Table(problem)

    def models(x, y, leaves, n):
        least = max(3, min(20, len(y) // 40))
        keys = dict(objective="quantile", num_leaves=leaves, min_data_in_leaf=least, learning_rate=0.07, verbosity=-1,
                    num_threads=1, seed=SEED, deterministic=True)
        data = lgb.Dataset(x, y, params=dict(verbosity=-1, num_threads=1, min_data_in_leaf=least), free_raw_data=False)
        return [lgb.train(dict(keys, alpha=a), data, n) for a in levels]

    candidates = []
    x, y, v = table.tune
    for leaves in (4, 12):
        fits = models(x, y, leaves, rounds)
        for n in (15, 30, 60, 120, 200):
            q = np.column_stack([m.predict(v, num_iteration=n) for m in fits])
            candidates += smoothed(table, ((leaves, n), q))
    (leaves, n), c, h = best = table.choose(candidates)
    x, y, t = table.final
    q = np.column_stack([m.predict(t) for m in models(x, y, leaves, n)])
    return smooth(q, y, c, h), best


def forest(problem):
    """A quantile regression forest (Meinshausen)."""
    from quantile_forest import RandomForestQuantileRegressor as Forest
    levels = ((np.arange(40) + 0.5) / 40).tolist()
    table = Table(problem)

    def quantiles(x, y, t, leaf, share, trees):
        f = Forest(trees, min_samples_leaf=leaf, max_features=share, random_state=SEED, n_jobs=1).fit(x, y)
        return f.predict(t, quantiles=levels)

    candidates = []
    for leaf in (3, 10, 40):
        if leaf < len(table.tune[1]) / 4:
            for share in (0.4, 1.0):
                candidates += smoothed(table, ((leaf, share), quantiles(*table.tune, leaf, share, 50)))
    (leaf, share), c, h = best = table.choose(candidates)
    return smooth(quantiles(*table.final, leaf, share, 200), table.final[1], c, h), best


def catboost(problem):
    """CatBoost's boosting of a Gaussian's mean and variance, of y or of log y."""
    from catboost import CatBoostRegressor
    table = Table(problem)

    def fit(x, y, log, depth, n):
        y = np.log(y) if log else y
        center, scale = y.mean(), y.std()
        m = CatBoostRegressor(loss_function="RMSEWithUncertainty", iterations=n, depth=depth, learning_rate=0.05,
                              thread_count=1, random_seed=SEED, verbose=False, allow_writing_files=False)
        return m.fit(x, (y - center) / scale), center, scale

    def predict(fitted, t, log, n):
        m, center, scale = fitted
        mean, variance = m.predict(t, ntree_end=n).T
        return gaussians(center + scale * mean, scale * np.sqrt(variance), log=log)

    candidates = []
    x, y, v = table.tune
    for log in [False] + [True] * bool((table.valid_y > 0).all() and (y > 0).all()):
        for depth in (2, 5):
            m = fit(x, y, log, depth, 400)
            candidates += [((log, depth, n), predict(m, v, log, n)) for n in (20, 40, 70, 100, 150, 200, 300, 400)]
    log, depth, n = best = table.choose(candidates)
    x, y, t = table.final
    return predict(fit(x, y, log, depth, n), t, log, n), best


def network(problem):
    """A mixture density network: two hidden layers, K Gaussians, Adam, early stopping."""
    import torch
    torch.set_num_threads(1)
    table = Table(problem)

    def train(x, y, v, k, width, steps, valid=None):
        """Trains and returns the predictions of v after each of the given steps. With validation
        targets, it ends once the best of them is less than half of the last."""
        torch.manual_seed(SEED)
        center, scale, my, sy = x.mean(0), x.std(0) + 1e-9, y.mean(), y.std()
        put = lambda a: torch.tensor((a - center) / scale, dtype=torch.float32)
        X, Y, V = put(x), torch.tensor((y - my) / sy, dtype=torch.float32)[:, None], put(v)
        net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], width), torch.nn.Tanh(), torch.nn.Linear(width, width),
                                  torch.nn.Tanh(), torch.nn.Linear(width, 3 * k))
        adam, out = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-2), []
        for step in range(1, steps[-1] + 1):
            at = torch.randint(len(Y), (min(256, len(Y)),))
            w, m, s = net(X[at]).chunk(3, 1)
            log = torch.log_softmax(w, 1) - ((Y[at] - m) * torch.exp(-s))**2 / 2 - s
            adam.zero_grad()
            (-torch.logsumexp(log, 1).mean()).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5)
            adam.step()
            if step in steps:
                with torch.no_grad():
                    w, m, s = (a.double().numpy() for a in net(V).chunk(3, 1))
                w = np.exp(w - w.max(1, keepdims=True))
                s = np.exp(np.maximum(s, -6))
                out.append(gaussians(my + sy * m, sy * s, w / w.sum(1, keepdims=True)))
                if valid is not None and 2 * steps[np.argmax([p.log_density(valid).mean() for p in out])] < step > 200:
                    break
        return out

    steps = [25, 50, 75, 100, 150, 200, 300, 400, 600, 800]
    candidates = []
    for k, width in ((2, 16), (5, 32)):
        out = train(*table.tune, k, width, steps, table.valid_y)
        candidates += [((k, width, n), p) for n, p in zip(steps, out)]
    k, width, n = best = table.choose(candidates)
    return train(*table.final, k, width, [n])[0], best


def kernel(problem):
    """Kernel conditional density: a Gaussian kernel for the features, one for y."""
    table = Table(problem)
    last = len(problem.set.x)  # after x come the mixed model's prediction, and what rivals of trees use
    columns = slice(0, last + 1) if problem.set.context else slice(None)
    widths, heights = (0.03, 0.06, 0.12, 0.25, 0.5, 1, 2), (0.05, 0.1, 0.2, 0.35, 0.6)

    def weights(x, t, wx, wf):
        """Returns the normalised weights of the rows for each target [targets, rows]."""
        scale = (x.std(0) + 1e-9) * np.where(np.arange(x.shape[1]) < last, wx, wf)
        a, b = x / scale, t / scale
        d = (a**2).sum(1) + (b**2).sum(1)[:, None] - 2 * b @ a.T
        w = np.exp((d.min(1, keepdims=True) - d) / 2) + 1e-12
        return w / w.sum(1, keepdims=True)

    def binned(y):
        """Returns at most 200 values and the matrix [rows, values] that moves rows to them."""
        at = np.unique(y) if len(np.unique(y)) <= 200 else np.linspace(y.min(), y.max(), 200)
        near = abs(y[:, None] - at).argmin(1)
        return at, np.eye(len(at))[near]

    x, y, v = (a[:, columns] if a.ndim == 2 else a for a in table.tune)
    at, move = binned(y)
    z = (table.valid_y[:, None] - at) / y.std()
    tails = np.exp(-(((table.valid_y - y.mean()) / y.std())[:, None] / WIDE)**2 / 2) / (WIDE * y.std() * np.sqrt(2 * np.pi))
    tails = TAILS * tails.mean(1)
    bells = [np.exp(-(z / h)**2 / 2) / (h * y.std() * np.sqrt(2 * np.pi)) for h in heights]
    best = (-np.inf,)
    for wx in widths:
        for wf in widths if problem.set.context else [0.1]:  # 0.1: points of another function weigh nothing
            w = weights(x, v, wx, wf) @ move
            for h, bell in zip(heights, bells):
                best = max(best, (np.log((1 - TAILS) * (w * bell).sum(1) + tails).mean(), wx, wf, h))
    _, wx, wf, h = best
    x, y, t = (a[:, columns] if a.ndim == 2 else a for a in table.final)
    at, move = binned(y)
    w = weights(x, t, wx, wf) @ move
    return tailed(np.broadcast_to(at, w.shape), np.full(w.shape, h * y.std()), w, y), best[1:]


RIVALS = {"mixed model": mixed_model, "boosted quantiles": boosted, "quantile forest": forest, "CatBoost": catboost,
          "mixture network": network, "kernel density": kernel}
