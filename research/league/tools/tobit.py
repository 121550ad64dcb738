"""A tobit mixed model, what an econometrician uses for y ≥ 0 with many zeros: y^p is a linear model with a
normal intercept of each group, of which all below 0 is seen as 0. Maximum likelihood."""
import numpy as np
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from intercepts import Design, Intercepts
from outcomes import Floored
from protocol import Skip
from scores import gaussians

NAME, KIND = "tobit", "rival"


def candidates(problem):
    y = problem.rows()[1]
    if not problem.unit or y.min() < 0 or np.mean(y == 0) < 0.05:
        raise Skip("no spike of y at 0")
    return [(power, form) for power in (0.3, 0.5, 1.0) for form in ("line", "square")]


class Censored:
    """A Gaussian of deviation exp(extra), censored at 0."""

    @staticmethod
    def terms(y, eta, extra):
        s, at = np.exp(extra[0]), y[:, None] > 0
        z = (y[:, None] - eta) / s
        below = log_ndtr(z)  # y is 0 there
        mills = np.exp(norm.logpdf(z) - below)
        return np.where(at, -z**2 / 2 - extra[0], below), np.where(at, z, -mills) / s, np.where(at, z**2 - 1, -z * mills)


def fit(problem, settings):
    power, form = settings
    x, y, names = problem.rows()
    design, scale = Design(x, form), (y**power).std()
    X, v = design(x), y**power / scale
    model = Intercepts(Censored, X, v, names, np.r_[v.mean(), np.zeros(X.shape[1] - 1), np.log(0.5), 0], 0.01)

    def predict(tasks):
        eta = np.concatenate([model.eta(design(t.tx)) for t in tasks])
        w = np.concatenate([np.tile(model.posterior(design(t.cx), t.cy**power / scale), (len(t.tx), 1)) for t in tasks])
        return Floored(gaussians(scale * eta, np.full(eta.shape, scale * np.exp(model.extra[0])), w), power)
    return predict
