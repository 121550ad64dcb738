"""Tables of users, as the values of JSON that the program reads, and results in their kind."""

import datetime
import decimal
import json
import numbers
import re
import warnings

import numpy as np

from ._program import caller

# Characters that a header cannot hold in a name.
_RESERVED = set("\r\n")

# A text that the program reads as a number.
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*")
_LIMIT = re.compile(r"(?:<=?|>=?|≤|≥)(" + _NUMBER.pattern + ")")


def kind(table):
    """Return "pandas", "polars" or "numpy"."""
    module = type(table).__module__.partition(".")[0]
    return module if module in ("pandas", "polars") else "numpy"


def check_index(where="", **tables):
    """Refuse tables of pandas whose rows stand in another order, or are others, than those of the first one."""
    first = None
    for name, table in tables.items():
        if kind(table) != "pandas" or not hasattr(table, "iloc"):
            continue
        name, index = where + name, table.index
        if first is None:
            first = name, index
        elif len(index) == len(first[1]) and not index.equals(first[1]):
            found, help = f"other labels in its index than in that of {first[0]}", ""
            if index.is_unique and first[1].is_unique and not len(first[1].difference(index)):
                found, help = f"the labels of {first[0]}'s index in another order", f"{name}.loc[{first[0]}.index] aligns them, "
            raise ValueError(f"{name}: found {found}, expected the same index ({help}{name}.to_numpy() goes by the order of the rows)")


def columns(X):
    """Return (names, columns, categories) of a table.

    names is None without names. Each column is a list of cells. categories says which columns hold names
    by their type.
    """
    if kind(X) == "numpy":
        array = _array(X)
        return None, [_column(array[:, i], f"x{i}") for i in range(array.shape[1])], [False] * array.shape[1]
    if len(X.shape) != 2:
        raise ValueError(f"Expected 2D array, got {type(X).__name__} instead. Reshape your data with .to_frame().")
    names, found, categories = list(X.columns), [], []
    for i in range(X.shape[1]):
        column = X.iloc[:, i] if kind(X) == "pandas" else X[:, i]
        found.append(_column(column, names[i]))
        categories.append(_is_category(column))
    if not all(isinstance(n, str) for n in names):
        names = None
    return names, found, categories


def _column(values, name):
    """Return a column of X as values of JSON."""
    try:
        return cells(values)
    except (TypeError, ValueError) as error:
        raise type(error)(f"X: {name}: {error}") from None


def _array(X):
    """Return X as an array of rows and columns, with the errors that scikit-learn gives."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is a sparse matrix, expected a dense one; X.toarray() makes one")
    array = np.asarray(X)
    if array.dtype.kind == "U" and not hasattr(X, "dtype"):  # of a list, in which NaN has become a text
        array = np.asarray(X, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: expected real numbers, dates or names")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data with X.reshape(-1, 1) or X.reshape(1, -1).")
    return array


def _is_category(column):
    name = str(column.dtype)
    return name == "category" or name.startswith(("Categorical", "Enum"))


def cells(values):
    """Return a column of a table as values of JSON: None if missing, otherwise a number, a text, or whether it is true."""
    dtype = getattr(values, "dtype", None)
    code = dtype.kind if isinstance(dtype, np.dtype) else "O"
    if code in "mM" and dtype != "datetime64[D]":  # nanoseconds would be whole numbers
        values = np.asarray(values).astype(code + "8[us]")
    elif code == "f" and dtype.itemsize != 8:
        values = np.asarray(values).astype(float)
    elif code == "U" and (values == "nan").any():
        line = "found the name 'nan' in an array of texts; if it was a missing cell, an array of dtype=object keeps it"
        warnings.warn(line, UserWarning, stacklevel=caller())
    return [cell(v) for v in (values.tolist() if hasattr(values, "tolist") else list(values))]


def cell(v):
    """Return a value as one of JSON. Only None, NaN, NaT and NA are missing: a string is a name, whatever it says."""
    if isinstance(v, str):
        return written(str(v))
    if isinstance(v, (np.datetime64, np.timedelta64)):
        return cells(np.array([v]))[0]
    if isinstance(v, np.generic):
        v = v.item()
    try:
        missing = v is None or bool(v != v)
    except (TypeError, ValueError):  # pandas.NA has no truth value
        missing = type(v).__name__ == "NAType"
    return None if missing else _value(v)


def _value(v):
    if isinstance(v, (bool, str)):
        return v
    if isinstance(v, (float, decimal.Decimal)):
        v = float(v)
        if v in (float("inf"), float("-inf")):
            raise ValueError("Input X contains infinity or a value too large.")
        return int(v) if v.is_integer() and abs(v) < 2**53 else v  # 1.0 names the same group as 1
    if isinstance(v, complex):
        raise ValueError("Complex data not supported: expected real numbers, dates or names")
    if isinstance(v, numbers.Integral):
        return int(v)
    if isinstance(v, (datetime.date, datetime.datetime)):
        return v.isoformat()
    if isinstance(v, datetime.timedelta):
        raise ValueError("found a span of time, expected a number, such as its seconds: .dt.total_seconds()")
    raise TypeError(f"argument must be a string, a number or a date, not {type(v).__name__}")


def written(name):
    """Return a string as the program reads it as itself: in quotes where it would drop spaces or see a missing cell."""
    if is_number(name) or name == name.strip() != "" and "\n" not in name and name[0] != '"':
        return name
    return json.dumps(name, ensure_ascii=False)


def labels(groups):
    """Return the names of groups as texts, one for each group, None where they are missing.

    Of groups in groups, in two columns or as pairs, they are tuples: (outer, group).
    """
    if len(getattr(groups, "shape", ())) == 2:
        parts = [labels(groups.iloc[:, i] if kind(groups) == "pandas" else groups[:, i]) for i in range(groups.shape[1])]
        return _pairs(parts)
    values = groups.tolist() if hasattr(groups, "tolist") else list(groups)
    if any(isinstance(v, (list, tuple)) for v in values):
        pairs = [(None, None) if not isinstance(v, (list, tuple)) and cell(v) is None else v for v in values]
        for v in pairs:
            if not isinstance(v, (list, tuple)) or len(v) != 2:
                raise ValueError(f"groups: found {v!r}, expected pairs for all rows: groups in groups")
        return _pairs([labels(list(part)) for part in zip(*pairs)])
    return [None if v is None else _label(v) for v in cells(groups if hasattr(groups, "dtype") else values)]


def _label(v):
    """Return the text of a group. The number 1, true and the text "1.0" have those of files: 1, true and 1."""
    text = v if isinstance(v, str) else json.dumps(v)
    if is_number(text):
        text = text.strip()
        if "." in text and "e" not in text.lower() and text[0] != "+":
            text = text.rstrip("0").rstrip(".")
    return text


def _pairs(parts):
    if len(parts) != 2:
        raise ValueError(f"groups: found {len(parts)} columns, expected one value for each row, or two: groups in groups")
    return [None if None in pair else pair for pair in zip(*parts)]


def is_number(v):
    """Report whether a value of JSON is a number, or a text that says one."""
    return _NUMBER.fullmatch(v) is not None if isinstance(v, str) else v is not None and not isinstance(v, bool)


def is_limit(v):
    """Report whether a value is a limit of y, such as "<50"."""
    return isinstance(v, str) and _LIMIT.fullmatch(v.strip()) is not None


def limit_of(text):
    """Return the number of a limit."""
    return float(_LIMIT.fullmatch(text)[1])


def looks_other(v):
    """Report whether the program would read a name of a category as a number or a date."""
    return v[:1] in tuple("+-.0123456789") or v[:3].lower() == "inf" if isinstance(v, str) else is_number(v)


def quoted(name):
    """Return the name of a column as a formula has it."""
    return "`" + name.replace("`", "``") + "`"


def usable(names, default, taken):
    """Return names of columns for a header, none of taken: a default where a name cannot stand in one or is no text."""
    result = []
    for i, name in enumerate(names or [None] * len(default)):
        if not isinstance(name, str) or not name or name != name.strip() or _RESERVED & set(name) or name in result or name in taken:
            name = default[i]
            while name in result or name in taken:
                name += "_"
        result.append(name)
    return result


def take(table, rows):
    """Return rows of a table or of a column, in its kind."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "dtype") or kind(table) == "polars" else [table[r] for r in rows]


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
