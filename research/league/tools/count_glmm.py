"""A mixed model of counts, what a statistician uses for them: a negative binomial whose log mean is linear
with a normal intercept of each group, with a probability of more zeros or without. Maximum likelihood."""
import numpy as np
from scipy.special import digamma, expit, gammaln

from intercepts import Design, Intercepts
from outcomes import Counts
from protocol import Skip

NAME, KIND = "count GLMM", "rival"


def candidates(problem):
    if problem.unit != 1 or problem.rows()[1].min() < 0:
        raise Skip("y are no counts")
    return [(form, inflated) for form in ("line", "square", "log") for inflated in (False, True)]


class NegativeBinomial:
    """Counts of mean exp(η) and size exp(extra[0]); expit(extra[1]), if it is there, is the probability of
    more zeros."""

    @staticmethod
    def terms(y, eta, extra):
        y, r, mu = y[:, None], np.exp(extra[0]), np.exp(np.clip(eta, -15, 15))
        share = np.log(r / (r + mu))
        log = gammaln(y + r) - gammaln(r) - gammaln(y + 1) + r * share + y * np.log(mu / (r + mu))
        by_eta, by_size = r * (y - mu) / (r + mu), r * (digamma(y + r) - digamma(r) + share + 1 - (r + y) / (r + mu))
        if len(extra) == 1:
            return log, by_eta, by_size
        more, zero = expit(extra[1]), y == 0
        own = (1 - more) * np.exp(np.where(zero, log, 0))
        whole = more + own
        part = np.where(zero, own / whole, 1)
        return np.where(zero, np.log(whole), np.log1p(-more) + log), part * by_eta, part * by_size, np.where(zero, more * (1 - more - own) / whole, -more)


def fit(problem, settings):
    form, inflated = settings
    x, y, names = problem.rows()
    design = Design(x, form)
    X = design(x)
    start = np.r_[np.log(y.mean() + 0.1), np.zeros(X.shape[1] - 1), -0.7, 0, [-2] * inflated]
    model = Intercepts(NegativeBinomial, X, y, names, start, 0.05)

    def predict(tasks):
        mean = np.concatenate([np.exp(np.clip(model.eta(design(t.tx)), -15, 15)) for t in tasks])
        w = np.concatenate([np.tile(model.posterior(design(t.cx), t.cy), (len(t.tx), 1)) for t in tasks])
        return Counts(mean, w, np.exp(model.extra[0]), expit(model.extra[1]) if inflated else 0)
    return predict
