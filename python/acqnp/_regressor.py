"""GroupedRegressor, an estimator of scikit-learn."""

import copy
import warnings
from pathlib import Path

import numpy as np

from . import _cells
from ._distribution import Distribution, quantile_flags, quantiles
from ._estimator import BaseEstimator, DataConversionWarning, NotFittedError, RegressorMixin, check_names
from ._fit import Fit, Points
from ._program import caller

LEAST_ROWS = 10  # that the program can fit


class GroupedRegressor(RegressorMixin, BaseEstimator):
    """Predict the whole distribution of y for groups with few known points.

    ``fit`` runs ``acqnp fit``: it fits several models to all groups and mixes them. ``predict`` and the other
    methods take the rows to predict, the group of each, and ``context=(X, y, groups)``, the known points of
    these groups. A group that fit has seen needs no context: its own rows of the training are known points too.
    A group of which nothing is known gives the prediction for any group, and ``as_new()`` forgets the training's rows.

    Tables are NumPy arrays, or frames of pandas or polars; the results are of the same kind. Columns may hold
    numbers, dates or names. Missing cells of X are values; fit and contexts leave out rows without y or group.
    ``groups`` is an array or the name of a column of X. Groups in groups, classes in schools, are pairs, an array or
    frame of two columns, or the names of two columns of X: ``"school/class"``. Names that groups share, such as items that
    subjects see, stay a column of X: ``groups="subject + item"``. Numbers name the same group however they
    are spelled: 1, 1.0 and "1".

    A y of which the side of a limit is known is a string: "<50" below the detection limit 50, ">200" above 200; ``limits``
    makes these of numbers and a column that says which are limits. A y of two names, "no" and "yes", is 0 and 1 in the order
    of the alphabet: predict returns the probability of the second.

    A string of X that says a number or a date is that, and any other is a name, also "None" or "NA": only NaN, None,
    pandas.NA and NaT are missing. Categorical columns, True and False are names. Arguments of pandas must have one index,
    in one order: X, y, groups and weights are never aligned or matched by position in silence, but refused, as statsmodels
    does. Pass ``y.to_numpy()`` to go by the order of the rows.

    Parameters
    ----------
    instant : bool
        Take only a network that reads the groups without training and a mixed model, on 800 rows, and
        models of a common grid, of counts, of zeros and of 0 and 1. It takes seconds.
    budget : float
        Seconds of two ordinary cores, counted by the number of rows. Models beyond are left out.
    outcome : str
        What y is: "real", "counts" or "bounded". By default what the rows speak for; summary_ says it.
    no_rows : bool
        Keep no rows of the data, and no names of groups: known points of groups of the data must be in the context, and
        models that need rows, ``effects``, and ``plot`` without a context are not there.
    seed : int
        Of folds and contexts. The same data and seed give the same bytes.
    threads : int
        Of the processor; 0 for all cores.
    program : str
        Path of the program, instead of the one that pip has installed. The variable ACQNP names one too.
    verbose : bool
        Print progress on standard error.

    Attributes
    ----------
    run_ : dict
        Names and bytes of the files of the fit, as ``acqnp fit`` writes them. ``save`` writes them to a folder.
    summary_ : dict
        What ``acqnp fit --json`` prints: the models, their weights, and the scores to expect of a new group. "table" has
        the linear mixed model of the columns by REML, unshrunk, as lme4 has it: "coefficients" with "estimate" and
        "standard_error", "levels" and "residual" with "variance" and "standard_deviation". Predictions do not come from it.
    """

    def __init__(self, *, instant=False, budget=None, outcome=None, no_rows=False, seed=0, threads=0, program=None, verbose=False):
        self.instant = instant
        self.budget = budget
        self.outcome = outcome
        self.no_rows = no_rows
        self.seed = seed
        self.threads = threads
        self.program = program
        self.verbose = verbose

    def fit(self, X, y, groups=None, row_weights=None):
        """Fit rows of X and y in groups. Without groups, all rows are one.

        row_weights, the sample_weight of scikit-learn, say how often each row counts: 2 as two rows of weight 1, 0 for a row
        that is not used. A fit that fails leaves the model as it was.
        """
        _cells.check_index(X=X, y=y, groups=groups, row_weights=row_weights)
        X, groups, by, crossed = taken_out(X, groups)
        y = one_column(y)
        given, columns, categories = _cells.columns(X)
        if not columns:
            raise ValueError(f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
        points = _points(columns, groups, numbers(y, self, "fit"))
        if row_weights is not None:
            if len(row_weights) != len(points):
                raise ValueError(f"row_weights: found {len(row_weights)} weights for {len(points)} rows, expected as many")
            points.weights = [_cells.cell(w) for w in row_weights]
        # Columns with one value say nothing, and the program refuses them.
        kept = [i for i, c in enumerate(columns) if len({v for v in c if v is not None}) > 1] or list(range(len(columns)))
        if crossed:
            at = given.index(crossed)
            kept = [*(i for i in kept if i != at), at]

        # Columns of X keep their names: predict looks for them, also after load.
        y_name = _cells.usable([getattr(y, "name", None)], ["y"], given or [])[0]
        nested = any(isinstance(g, tuple) for g in points.groups or [])
        by = by or (list(groups.columns) if nested and hasattr(groups, "columns") else [getattr(groups, "name", None)] * (1 + nested))
        by = [] if groups is None else _cells.usable(by, ["outer", "group"] if nested else ["group"], [y_name, *(given or [])])
        names = _cells.usable(given, [f"x{i}" for i in range(len(columns))], [y_name, *by])
        training = points.columns(kept, bool(crossed))
        complete = len(training.complete())
        if complete < LEAST_ROWS:
            raise ValueError(f"found n_samples={complete} rows with y and a group, expected at least {LEAST_ROWS}")
        seen = [names[i] for i in kept], y_name, by
        factors = {names[i] for i in kept if categories[i] and any(map(_cells.looks_other, columns[i]))}
        flags = ["--seed", str(self.seed)] + ["--instant"] * bool(self.instant) + ["--no-rows"] * bool(self.no_rows)
        if self.budget is not None:
            flags += ["--budget", repr(float(self.budget))]
        if self.outcome is not None:
            flags += ["--outcome", self.outcome]
        alone = [f"X: left out {names[i]}, which has {_alone(c)}" for i, c in enumerate(columns) if i not in kept]
        for line in alone:
            warnings.warn(line, UserWarning, stacklevel=caller())
        fit, summary = Fit.of(training, seen, factors, flags, self.program, self.threads, self.verbose)
        summary["warnings"] += alone
        # A fit that fails leaves the model as it was.
        self.n_features_in_ = len(columns)
        if given is not None:
            self.feature_names_in_ = np.array(given, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._names, self._kept, self._crossed = names, kept, bool(crossed)
        self.run_, self.summary_, self._forgets = {Fit.FILE: fit.content}, summary, False
        self._training = None if self.no_rows else training
        return self

    @classmethod
    def load(cls, directory, **parameters):
        """Return what ``acqnp fit`` or ``save`` has written to a folder."""
        made = cls(**parameters)
        fit = Fit(Path(directory, Fit.FILE).read_bytes())
        made.run_, made._names = {Fit.FILE: fit.content}, list(fit.x)
        made.n_features_in_, made.feature_names_in_ = len(fit.x), np.array(fit.x, dtype=object)
        made._crossed = fit.crossed is not None
        made._kept, made._training, made.summary_ = list(range(len(fit.x))), None, None
        return made

    def save(self, directory):
        """Write the fit to a folder, for acqnp predict, score and serve."""
        self._fit()
        Path(directory).mkdir(parents=True, exist_ok=True)
        for name, content in self.run_.items():
            Path(directory, name).write_bytes(content)

    def as_new(self):
        """Return the same model without the rows of its training: groups with their names are new ones."""
        made = copy.copy(self)
        made._forgets = True
        return made

    def predict(self, X, groups=None, context=None):
        """Return the mean of y of each row."""
        points, known = self._asked(X, groups, context)
        rows = self._fit().predict(points, known, "--quantiles=", "--hdr=")
        mean = np.array([np.nan if r is None or r["mean"] is None else r["mean"] for r in rows], dtype=float)
        return _cells.series(mean, X, self._y_name())

    def predict_quantiles(self, X, groups=None, context=None, levels=(0.05, 0.25, 0.5, 0.75, 0.95)):
        """Return calibrated quantiles: [rows, levels]."""
        points, known = self._asked(X, groups, context)
        found = quantiles(self._fit().predict(points, known, *quantile_flags(levels)), len(np.atleast_1d(levels)))
        return _cells.frame(found, X, [f"q{p:.12g}" for p in np.atleast_1d(levels)])

    def predict_interval(self, X, groups=None, context=None, coverage=0.9):
        """Return the bounds of the calibrated central interval: [rows, 2]."""
        if not 0 < coverage < 1:
            raise ValueError(f"found a coverage of {coverage}, expected a number between 0 and 1")
        points, known = self._asked(X, groups, context)
        flags = quantile_flags([(1 - coverage) / 2, (1 + coverage) / 2])
        return _cells.frame(quantiles(self._fit().predict(points, known, *flags), 2), X, ["low", "high"])

    def predict_distribution(self, X, groups=None, context=None):
        """Return the Distribution of y of each row, with pdf, cdf, ppf, rvs and more."""
        points, known = self._asked(X, groups, context)
        fit = self._fit()
        return Distribution(lambda rows, *flags: fit.predict(points.take(rows), known, *flags), range(len(points)), fit.levels, X)

    def pdf(self, X, y, groups=None, context=None):
        """Return the density at y, a number or one for each row."""
        _cells.check_index(X=X, y=y)
        return _cells.series(self.predict_distribution(X, groups, context).pdf(y), X, "pdf")

    def cdf(self, X, y, groups=None, context=None):
        """Return the calibrated probability of up to y, a number or one for each row."""
        _cells.check_index(X=X, y=y)
        return _cells.series(self.predict_distribution(X, groups, context).cdf(y), X, "cdf")

    def sample(self, X, groups=None, context=None, n=100, joint=False, seed=43):
        """Return random draws: [rows, n]. With joint, each column is one curve of its group."""
        if int(n) < 1:
            raise ValueError(f"found {n} draws, expected 1 or more")
        points, known = self._asked(X, groups, context)
        flags = ["--quantiles=", "--hdr=", "--draws", str(int(n)), *(["--joint"] * bool(joint))]
        found = quantiles(self._fit().predict(points, known, *flags, seed=int(seed)), int(n))
        return _cells.frame(found, X, [f"draw{i + 1}" for i in range(int(n))])

    def score(self, X, y, groups=None, context=None, sample_weight=None):
        """Return the mean log density of y over the rows, or its average by weights: higher is better.

        A y that cannot be, such as 23.5 among counts, has the log density -inf. The mean leaves it out, with a warning.
        """
        _cells.check_index(X=X, y=y, groups=groups, sample_weight=sample_weight)
        return _average(self._scores(X, y, groups, context)[:, 0], sample_weight)

    def log_density(self, X, y, groups=None, context=None):
        """Return the log density of y of each row."""
        return _cells.series(self._scores(X, y, groups, context)[:, 0], X, "log_density")

    def crps(self, X, y, groups=None, context=None):
        """Return the mean continuous ranked probability score, in the units of y: lower is better."""
        return float(np.nanmean(self._scores(X, y, groups, context)[:, 1]))

    def effects(self):
        """Return how much each column matters and how y runs along it, as ``acqnp plot effects`` says.

        "loss" has arrays: the column, the nats of log density that predictions lose without it, and the standard error of
        these. Its last row is the known points of the groups. "curves" has, by column, arrays of its x, of quantiles of y (NaN where y has
        two values), and of the effect with the ends of its interval of 90%. "changes" has, by column, how y changes from one value to another, and
        the standard error; where "scale" is "log", the change is a ratio, and the error that of its logarithm.
        """
        said = self._fit().effects()
        of = lambda rows: {name: np.array([row[name] for row in rows], float if name[0] == "q" else None) for name in rows[0]}  # noqa: E731
        lost = [{name: one[name] for name in ("column", "loss", "loss_se")} for one in [*said["columns"], said.get("known_points")] if one]
        changes = {one["column"]: one["change"] for one in said["columns"] if "change" in one}
        curves = {one["column"]: of(one["points"]) for one in said["columns"]}
        return {"loss": of(lost), "curves": curves, "changes": changes, "scale": said["scale"]}

    def plot(self, groups=None, context=None, column=None, ax=None, targets=None):
        """Draw the predictions of groups over a column of X, with matplotlib, and return the axes.

        groups are by default those of the targets or the context, or the first four of the training. targets are (X, y, groups),
        where y may be None. If a second column varies within groups, bars are the predictions of the targets, or of the known
        points, instead of a shade over x.
        """
        from ._plot import plot

        return plot(self, groups, context, column, ax, targets)

    def _scores(self, X, y, groups, context):
        points, known = self._asked(X, groups, context, y)
        if not points.complete():
            raise ValueError("every row lacks y or a group, expected rows to score")
        return self._fit().score(points, known)

    def _fit(self):
        if not hasattr(self, "run_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' before this method.")
        return Fit(self.run_[Fit.FILE], self.program, self.threads, self.verbose, getattr(self, "_forgets", False))

    def _y_name(self):
        return self._fit().y[0]

    def _seen_names(self):
        return [self._names[i] for i in self._kept]

    def _asked(self, X, groups, context, y=None):
        """Return the rows that are asked for, and the known points or None."""
        self._fit()
        points = self._read(X, groups, y)
        known = self._known(context)
        if known is not None and (known.groups is None) != (points.groups is None):
            raise ValueError("found groups in only one of X and the context, expected them in both or in neither")
        return points, known

    def _known(self, context):
        """Return the known points that a context means, None for those that the fit has alone."""
        if context is None:
            return None
        if hasattr(context, "columns"):
            raise ValueError("context: found a frame, expected (X, y, groups) as predict has X and groups")
        if len(context) not in (2, 3):
            raise ValueError(f"found a context of {len(context)} parts, expected (X, y, groups) or (X, y)")
        X, y, groups = (*context, None)[:3]
        known = self._read(X, groups, y, "context: ", quiet=True)
        say_left_out("context", known)
        return known

    def _read(self, X, groups, y=None, where="", quiet=False):
        _cells.check_index(where, X=X, y=y, groups=groups)
        X, groups, *_ = taken_out(X, groups)
        by = self._fit().grouped_by
        if groups is not None and not by:
            raise ValueError("found groups, but fit had none")
        names, columns, _ = _cells.columns(X)
        check_names(self, names, len(columns), quiet)
        points = _points(columns, groups, None if y is None else numbers(one_column(y), self, "score"))
        if any(g is not None and isinstance(g, tuple) != (len(by) == 2) for g in points.groups or []):
            raise ValueError(f"groups: found names of another kind than those of {'/'.join(by)}, expected {len(by)} for each row")
        return points.columns(self._kept, getattr(self, "_crossed", False))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True  # score is a log density, and not R²
        return tags

    def _more_tags(self):  # of scikit-learn before 1.6
        return {"allow_nan": True, "poor_score": True}


def taken_out(X, groups):
    """Return X without the columns that groups names, the groups, the names of their columns, and that of a crossed one."""
    if not isinstance(groups, str):
        return X, groups, None, None
    present = [] if _cells.kind(X) == "numpy" else list(X.columns)
    by, *crossed = [groups] if groups in present else [name.strip() for name in groups.split("+")]
    by = [by] if by in present else [name.strip() for name in by.split("/")]
    if not {*by, *crossed} <= set(present) or len(crossed) + len(by) > 2:
        raise ValueError(f"groups: found the name {groups!r}, expected that of a column of X, 'school/class' or 'subject + item' of two, or an array")
    rest = X.drop(columns=by) if _cells.kind(X) == "pandas" else X.drop(*by)
    return rest, X[by] if len(by) > 1 else X[by[0]], by, crossed[0] if crossed else None


def _alone(cells):
    """Return what a column without use has, and how its missing cells become values."""
    value = next((v for v in cells if v is not None), None)
    if value is None:
        return "no value"
    if None not in cells:
        return "one value"
    return "one value beside missing cells" + " (fill these with a name, such as 'none')" * (not _cells.looks_other(value))


def one_column(y):
    """Return y, and of a table of one column that column, with scikit-learn's warning."""
    if y is None:
        return None
    if not hasattr(y, "__iter__"):
        y = np.asarray(y)
    shape = getattr(y, "shape", None) or np.shape(y)
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=caller())
        return y.iloc[:, 0] if hasattr(y, "iloc") else y[:, 0] if hasattr(y, "shape") else [v for v, in y]
    if len(shape) != 1:
        raise ValueError(f"y: found the shape {shape}, expected one column of y")
    return y


def numbers(y, estimator, method):
    """Return y as a list of numbers, NaN where they are missing, and of limits such as "<50" and of names as texts."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__}.{method} requires y to be passed, but the target y is None.")
    limits = {i: v.strip() for i, v in enumerate(y) if _cells.is_limit(v)}
    if not limits and any(isinstance(v, str) and not _cells.is_number(v) for v in y):
        return [np.nan if v is None else v for v in map(_cells.cell, y)]
    if limits:  # read as the numbers in them, and put back
        y = [_cells.limit_of(limits[i]) if i in limits else np.nan if _cells.cell(v) is None else v for i, v in enumerate(y)]
    return [limits.get(i, v) for i, v in enumerate(_numbers(y))]


def limits(y, censored):
    """Return y with texts in the place of limits: "<=50" where censored says "left" or -1, ">=50" where it says "right" or 1.

    "none" and 0 are of values, which stay. In survival analysis, 1 often is an event instead, and 0 a limit: right.
    Of a series of pandas the result is one.
    """
    signs, named = {"left": "<=", "-1": "<=", "right": ">=", "1": ">=", "none": "", "0": ""}, []
    _cells.check_index(y=y, censored=censored)
    sides = ["" if v is None else str(v).strip().lower() for v in map(_cells.cell, censored)]
    if len(sides) != len(y):
        raise ValueError(f"censored: found {len(sides)} cells for {len(y)} rows, expected as many")
    for v, side in zip(y, sides):
        if side not in signs:
            help = "; for true and false, use 1 and 0" * (side in ("true", "false"))
            raise ValueError(f'censored: found {side!r}, expected "left" or -1, "right" or 1, "none" or 0{help}')
        named.append(f"{signs[side]}{float(v)!r}" if signs[side] and _cells.cell(v) is not None else v)
    return _cells.series(named, y, y.name) if hasattr(y, "iloc") else named


def _numbers(y):
    of_pandas = _cells.kind(y) == "pandas"
    array = y if of_pandas else np.asarray(y)
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError("Complex data not supported: expected real numbers as y")
    if kind in "mM":
        found, span = ("spans of time", "y") if kind == "m" else ("dates", "(y - y.min())")
        raise ValueError(f"y: found {found}, expected numbers, such as {span}.dt.total_seconds()")
    try:
        array = y.to_numpy(dtype=float, na_value=np.nan) if of_pandas else array.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y: {error}; expected numbers, or limits such as '<50'") from None
    if np.isinf(array).any():
        raise ValueError("Input y contains infinity or a value too large.")
    return array.tolist()


def say_left_out(what, points):
    """Warn of rows that are not used."""
    left = len(points) - len(points.complete())
    if left:
        warnings.warn(f"{what}: left out {left} of {len(points)} rows, without y or a group", UserWarning, stacklevel=caller())


def _average(values, weights):
    """Return the average of the finite values. Those of weight 0 do not count, whatever they are."""
    weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != values.shape:
        raise ValueError(f"sample_weight: found the shape {weights.shape}, expected {values.shape}, a weight for each row")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("sample_weight: found a weight that is negative, infinite or NaN, expected numbers of 0 or more")
    counted = (weights > 0) & np.isfinite(values)
    if not counted.any() and (weights[np.isneginf(values)] > 0).any():
        return -np.inf
    if not counted.any():
        raise ValueError("sample_weight: found 0 for all rows with y and a group, expected a weight above 0")
    return float(np.average(values[counted], weights=weights[counted]))


def _points(columns, groups, y):
    points = Points(columns, None if groups is None else _cells.labels(groups), y)
    for values in (points.groups, points.y):
        if values is not None and len(values) != len(points):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(points), len(values)]}")
    return points
