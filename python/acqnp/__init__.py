"""acqnp predicts whole distributions of an outcome for groups with few known points.

``GroupedRegressor`` fits a table of rows in groups, and predicts new groups. ``answer_tasks`` and
``write_tasks`` give acqnp train what a simulator of your own draws; ``acqnp.torch`` reads what it
trained. The work is done by the program acqnp, which this package carries; ``python -m acqnp`` and the
command ``acqnp`` run it.
"""

__all__ = ["Distribution", "GroupedRegressor", "answer_tasks", "cross_validate", "limits", "write_tasks"]


def __getattr__(name):
    # The command needs no NumPy: what does is imported when it is used.
    if name in ("GroupedRegressor", "limits"):
        from . import _regressor

        found = getattr(_regressor, name)
    elif name == "Distribution":
        from ._distribution import Distribution as found
    elif name == "cross_validate":
        from ._validation import cross_validate as found
    elif name in ("answer_tasks", "write_tasks"):
        from . import _tasks

        found = getattr(_tasks, name)
    elif name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            found = version("acqnp")
        except PackageNotFoundError:  # run from a checkout
            found = "unknown"
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__():
    return sorted([*globals(), *__all__, "__version__"])
