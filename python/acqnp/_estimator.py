"""The parts of scikit-learn that an estimator needs, and what stands in for them without it."""

import inspect
import warnings

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:

    class RegressorMixin:
        pass

    class NotFittedError(ValueError, AttributeError):
        """A method was called before fit."""

    class DataConversionWarning(UserWarning):
        """A table was converted."""

    class BaseEstimator:
        """get_params and set_params, as scikit-learn has them."""

        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
            changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
            return f"{type(self).__name__}({', '.join(changed)})"


def check_names(estimator, names, number, quiet=False):
    """Raise scikit-learn's errors if a table has other columns than that of fit.

    quiet leaves out the warnings of a table without names.
    """
    fitted = getattr(estimator, "feature_names_in_", None)
    own = type(estimator).__name__
    if (names is None) != (fitted is None):
        which = "X does not have valid feature names, but {} was fitted with feature names"
        if fitted is None:
            which = "X has feature names, but {} was fitted without feature names"
        if not quiet:
            warnings.warn(which.format(own), UserWarning, stacklevel=4)
    elif names is not None and list(fitted) != names:
        lines = ["The feature names should match those that were passed during fit."]
        unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
        for title, some in (("Feature names unseen at fit time:", unseen), ("Feature names seen at fit time, yet now missing:", missing)):
            if some:
                lines += [title] + [f"- {name}" for name in some[:5]] + ["- ..."] * (len(some) > 5)
        if not unseen and not missing:
            lines.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join(lines) + "\n")
    if number != estimator.n_features_in_:
        raise ValueError(f"X has {number} features, but {own} is expecting {estimator.n_features_in_} features as input")
