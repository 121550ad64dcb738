"""What acqnp fit writes, and questions to it: files go to the program, numbers come back."""

import csv
import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import _cells, _program
from ._words import NAMELESS, in_python


@dataclass
class Points:
    """Rows of a table: columns of x as cells, groups as texts, y and weights as numbers. All but x may be None.

    If named, the last column of x has crossed names, which every row needs.
    """

    x: list
    groups: list = None
    y: list = None
    weights: list = None
    named: bool = False

    def __len__(self):
        return len(self.x[0])

    def take(self, rows):
        pick = lambda values: None if values is None else [values[r] for r in rows]  # noqa: E731
        return Points([pick(c) for c in self.x], pick(self.groups), pick(self.y), pick(self.weights), self.named)

    def columns(self, kept, named):
        """Return the points with the columns of x that the models see."""
        return Points([self.x[i] for i in kept], self.groups, self.y, self.weights, named)

    def complete(self):
        """Return the rows with a group and a y. A missing cell of x is a value."""
        return [
            r
            for r in range(len(self))
            if (self.groups is None or self.groups[r] is not None)
            and (self.y is None or self.y[r] == self.y[r])
            and not (self.named and self.x[-1][r] is None)
        ]

    def group(self, row):
        return None if self.groups is None else self.groups[row]


def write_rows(path, header, rows):
    """Write rows as JSON lines, in which a text is a name and null is a missing cell."""
    with open(path, "w", encoding="utf-8", newline="") as f:
        for row in rows:
            f.write(json.dumps(dict(zip(header, row))) + "\n")


@functools.lru_cache(maxsize=4)
def _needed(content):
    """Return what Python needs of fit.json, which may be long."""
    saved = json.loads(content)
    grouped_by = [name for name in (saved.get("outer"), saved["group"]) if name]
    ranges, origins = [(r["Low"], r["High"]) for r in saved["x_ranges"]], [form["Origin"] for form in saved["x_forms"]]
    calibrations = saved["stacks"][0]["calibrations"]  # by the number of known points
    levels = [np.array(c["levels"]) for c in calibrations], [c["from"] for c in calibrations]
    return saved["x"], saved["y"], grouped_by, saved.get("crossed"), saved["y_forms"][0].get("Categories"), ranges, origins, levels


class Fit:
    """A directory that acqnp fit has written, as bytes."""

    FILE = "fit.json"

    def __init__(self, content, program=None, threads=0, verbose=False, as_new=False):
        self.content, self.program, self.threads, self.verbose, self.as_new = content, program, threads, verbose, as_new
        # origins are the dates from which ranges count days, "" for numbers.
        self.x, self.y, self.grouped_by, self.crossed, self.names, self.ranges, self.origins, self.levels = _needed(content)
        if len(self.y) != 1:
            raise ValueError(f"found a fit of {len(self.y)} columns of y, expected one")

    @classmethod
    def of(cls, points, names, factors, flags, program, threads, verbose):
        """Fit points. names are those of x, y and the columns of groups; factors are the x whose numbers are names.
        If points are named, the last x is crossed with the groups.

        Return the fit and the program's summary.
        """
        x, y, by = names
        quoted = _cells.quoted
        terms = [f"factor({quoted(name)})" if name in factors else quoted(name) for name in (x[:-1] if points.named else x)] or ["1"]
        formula = f"{quoted(y)} ~ {' + '.join(terms)}" + (f" | {'/'.join(map(quoted, by))}" if by else "") + (f" + {quoted(x[-1])}" if points.named else "")
        header = [*by, *x, y]
        if points.weights is not None:
            weight = _cells.usable([None], ["weight"], header)[0]
            header, flags = [*header, weight], [*flags, "--row-weights", weight]
        # The program leaves out rows without y or a group, and says how many; it reads their weights before.
        every, used = range(len(points)), set(points.complete())
        with tempfile.TemporaryDirectory(prefix="acqnp-") as folder:
            rows = (
                (_cells_of(points.groups[r] or (None,) * len(by)) if by else []) + [c[r] for c in points.x] + [_cells.cell(points.y[r])]
                + ([] if points.weights is None else [points.weights[r] if r in used else 1])
                for r in every
            )
            write_rows(Path(folder, "data.jsonl"), header, rows)
            command = ["fit", "--out", "run", "--no-picture", "--threads", str(threads), *flags, "--", "data.jsonl", formula]
            summary = _program.run(program, command, folder, verbose, {"data": every})
            summary["warnings"] = [in_python(line, {"data": every}) for line in summary.get("warnings") or []]
            content = Path(folder, "run", cls.FILE).read_bytes()
        return cls(content, program, threads, verbose), summary

    def predict(self, points, context, *flags, seed=None):
        """Return what predict writes of each row as JSON, None for rows without a group."""
        rows = [None] * len(points)
        command = ["predict", "--format", "json", *flags, *([] if seed is None else ["--seed", str(seed)])]
        for r, line in zip(points.complete(), self._ask(command, points, context)):
            rows[r] = json.loads(line)
        return rows

    def score(self, points, context):
        """Return the log density, the CRPS and the PIT of each row, NaN for rows without a group or y, and CRPS and PIT of limits."""
        scores = np.full((len(points), 3), np.nan)
        for r, row in zip(points.complete(), csv.DictReader(self._ask(["score"], points, context))):
            scores[r] = [float(row[name] or "nan") for name in ("log_density", "crps", "pit")]
        return scores

    def effects(self):
        """Return what plot effects says of the column of y."""
        with self._folder() as folder:
            return _program.run(self.program, ["plot", "effects", "--threads", str(self.threads), "run"], folder, self.verbose)["targets"][0]

    def _folder(self):
        """Return a temporary directory with the fit in run."""
        folder = tempfile.TemporaryDirectory(prefix="acqnp-")
        Path(folder.name, "run").mkdir()
        Path(folder.name, "run", self.FILE).write_bytes(self.content)
        return folder

    def _ask(self, command, points, context):
        """Return the lines that the program writes about the rows with a group, in their order.

        Groups may have known points in the context, or none, beside those that the fit has.
        """
        complete = points.complete()
        targets, places = points.take(complete), {"targets": complete}
        if not len(targets):
            return []
        with self._folder() as folder:
            if self.as_new:
                command = [*command, "--as-new"]
            if context is not None:
                asked, known = {outer(targets.group(r)) for r in range(len(targets))}, context.complete()
                # If nothing is known of a group, the program says which of the others its name is near.
                every = self.crossed or asked - {outer(context.group(r)) for r in known}
                places["context"] = known if every else [r for r in known if outer(context.group(r)) in asked]
                context = context.take(places["context"])
            if context is not None and len(context):
                command = [*command, "--context", "context.jsonl"]
                self._write(Path(folder, "context.jsonl"), context)
            self._write(Path(folder, "targets.jsonl"), targets)
            out = "out.json" if command[0] == "predict" else "out.csv"
            command = [*command, "--targets", "targets.jsonl", "--out", out, "--threads", str(self.threads), "--", "run"]
            _program.run(self.program, command, folder, self.verbose, places)
            with open(Path(folder, out), encoding="utf-8", newline="") as f:
                return f.readlines()

    def _write(self, path, points):
        by = self.grouped_by
        header = by + self.x + ([] if points.y is None else self.y)
        names = lambda r: [] if not by else _cells_of((NAMELESS,) * len(by) if points.groups is None else points.group(r))  # noqa: E731
        rows = (names(r) + [c[r] for c in points.x] + ([] if points.y is None else [points.y[r]]) for r in range(len(points)))
        write_rows(path, header, rows)


def outer(group):
    """Return the group whose known points predict a group: the one that it is in, or itself."""
    return group[0] if isinstance(group, tuple) else group


def _cells_of(group):
    """Return the cells of a group: one, or that of the group that it is in and its own."""
    return list(group) if isinstance(group, tuple) else [group]
