"""Tables of users, as the cells of CSV files that the program reads, and results in their kind."""

import datetime
import decimal
import numbers

import numpy as np

# What the program reads as a missing cell.
MISSING = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "."}

# Characters that a header cannot hold in a name.
_RESERVED = set("\r\n")


def kind(table):
    """Return "pandas", "polars" or "numpy"."""
    module = type(table).__module__.partition(".")[0]
    return module if module in ("pandas", "polars") else "numpy"


def columns(X):
    """Return (names, columns, categories) of a table.

    names is None without names. Each column is a list of cells. categories says which columns hold names
    by their type.
    """
    if kind(X) == "numpy":
        array = _array(X)
        return None, [cells(array[:, i]) for i in range(array.shape[1])], [False] * array.shape[1]
    if len(X.shape) != 2:
        raise ValueError(f"Expected 2D array, got {type(X).__name__} instead. Reshape your data with .to_frame().")
    names, found, categories = list(X.columns), [], []
    for i in range(X.shape[1]):
        column = X.iloc[:, i] if kind(X) == "pandas" else X[:, i]
        found.append(cells(column))
        categories.append(_is_category(column))
    if not all(isinstance(n, str) for n in names):
        names = None
    return names, found, categories


def _array(X):
    """Return X as an array of rows and columns, with the errors that scikit-learn gives."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is a sparse matrix, expected a dense one; X.toarray() makes one")
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: expected real numbers, dates or names")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data with X.reshape(-1, 1) or X.reshape(1, -1).")
    return array


def _is_category(column):
    name = str(column.dtype)
    return name == "category" or name.startswith(("Categorical", "Enum"))


def cells(values):
    """Return a column of a table as texts: "" if missing, otherwise a text that reads back as the value."""
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "fM":
        values = np.asarray(values)
        if dtype.kind == "M":
            values = values.astype("datetime64[us]" if values.dtype != "datetime64[D]" else values.dtype)
        elif np.isinf(values).any():
            raise ValueError("Input X contains infinity or a value too large.")
        elif dtype.itemsize != 8:
            values = values.astype(float)
        return ["" if v is None or v != v else _text(v) for v in values.tolist()]
    return [cell(v) for v in (values.tolist() if hasattr(values, "tolist") else list(values))]


def cell(v):
    """Return a value as the text of a cell."""
    if v is None or isinstance(v, str):
        return v or ""
    if hasattr(v, "item") and isinstance(v, np.generic):
        v = v.item()
    try:
        missing = bool(v != v)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        missing = type(v).__name__ == "NAType"
    if missing or v is None:
        return ""
    return _text(v)


def _text(v):
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, float):
        if v in (float("inf"), float("-inf")):
            raise ValueError("Input X contains infinity or a value too large.")
        return repr(v)
    if isinstance(v, complex):
        raise ValueError("Complex data not supported: expected real numbers, dates or names")
    if isinstance(v, (numbers.Integral, decimal.Decimal)):
        return str(v)
    if isinstance(v, (datetime.date, datetime.datetime)):
        return v.isoformat()
    raise TypeError(f"argument must be a string, a number or a date, not {type(v).__name__}")


def labels(groups):
    """Return the names of groups as values that can be compared, None where they are missing.

    Of groups in groups, in two columns or as pairs, they are tuples: (outer, group).
    """
    if len(getattr(groups, "shape", ())) == 2:
        parts = [labels(groups.iloc[:, i] if kind(groups) == "pandas" else groups[:, i]) for i in range(groups.shape[1])]
        return _pairs(parts)
    values = groups.tolist() if hasattr(groups, "tolist") else groups.to_list() if hasattr(groups, "to_list") else list(groups)
    if any(isinstance(v, (list, tuple)) for v in values[:1]):
        return _pairs([labels(list(part)) for part in zip(*values)])
    return [None if cell(v) == "" else v for v in values]


def _pairs(parts):
    if len(parts) != 2:
        raise ValueError(f"groups: found {len(parts)} columns, expected one value for each row, or two: groups in groups")
    return [None if None in pair else pair for pair in zip(*parts)]


def is_missing(text):
    return text.strip() in MISSING


def is_number(text):
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def quoted(name):
    """Return the name of a column as a formula has it."""
    return "`" + name.replace("`", "``") + "`"


def usable(names, default, taken):
    """Return names of columns for a header: default and a number where a name cannot stand in one."""
    result = []
    for i, name in enumerate(names or [None] * len(default)):
        if not name or name != name.strip() or _RESERVED & set(name) or name in result or name in taken:
            name = default[i]
            while name in result or name in taken:
                name += "_"
        result.append(name)
    return result


def series(values, like, name):
    """Return numbers, one for each row, in the kind of the table like."""
    if kind(like) == "pandas":
        import pandas

        return pandas.Series(values, index=like.index, name=name)
    if kind(like) == "polars":
        import polars

        return polars.Series(name, values)
    return values


def frame(values, like, names):
    """Return numbers [rows, columns] in the kind of the table like."""
    if kind(like) == "pandas":
        import pandas

        return pandas.DataFrame(values, index=like.index, columns=names)
    if kind(like) == "polars":
        import polars

        return polars.DataFrame(values, schema=names)
    return values
