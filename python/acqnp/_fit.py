"""What acqnp fit writes, and questions to it: files go to the program, numbers come back."""

import csv
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import _cells, _program


@dataclass
class Points:
    """Rows of a table: columns of x as cells, groups as values, y as numbers. groups and y may be None."""

    x: list
    groups: list = None
    y: list = None

    def __len__(self):
        return len(self.x[0])

    def take(self, rows):
        pick = lambda values: None if values is None else [values[r] for r in rows]  # noqa: E731
        return Points([pick(c) for c in self.x], pick(self.groups), pick(self.y))

    def complete(self):
        """Return the rows without a missing cell."""
        return [
            r
            for r in range(len(self))
            if not any(_cells.is_missing(c[r]) for c in self.x)
            and (self.groups is None or self.groups[r] is not None)
            and (self.y is None or self.y[r] == self.y[r])
        ]

    def group(self, row):
        return None if self.groups is None else self.groups[row]


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f)
        out.writerow(header)
        out.writerows(rows)


class Fit:
    """A directory that acqnp fit has written, as bytes."""

    FILE = "fit.json"

    def __init__(self, content, program=None, threads=0, verbose=False):
        self.content, self.program, self.threads, self.verbose = content, program, threads, verbose
        saved = json.loads(content)
        self.x, self.y, self.grouped_by = saved["x"], saved["y"], saved["group"]
        self.ranges = [(r["Low"], r["High"]) for r in saved["x_ranges"]]
        self.levels = np.array(saved["stacks"][0]["calibration"]["levels"])
        if len(self.y) != 1:
            raise ValueError(f"found a fit of {len(self.y)} columns of y, expected one")

    @classmethod
    def of(cls, points, names, flags, program, threads, verbose):
        """Fit points. names are those of x, y and the group. Return the fit and the program's summary."""
        x, y, group = names
        formula = f"{y} ~ {' + '.join(x)}" + (f" | {group}" if points.groups is not None else "")
        header = ([group] if points.groups is not None else []) + [*x, y]
        numbers = _Numbers()
        with tempfile.TemporaryDirectory(prefix="acqnp-") as folder:
            rows = (
                ([numbers.of(points.groups[r])] if points.groups is not None else []) + [c[r] for c in points.x] + [repr(points.y[r])]
                for r in points.complete()
            )
            write_csv(Path(folder, "data.csv"), header, rows)
            command = ["fit", "data.csv", formula, "--out", "run", "--no-picture", "--threads", str(threads), *flags]
            summary = _program.run(program, command, folder, verbose)
            content = Path(folder, "run", cls.FILE).read_bytes()
        return cls(content, program, threads, verbose), summary

    def predict(self, points, context, *flags, seed=None):
        """Return what predict writes of each row as JSON, None for rows with a missing cell."""
        rows = [None] * len(points)
        for call, (wanted, known) in enumerate(self._calls(points, context)):
            more = [] if seed is None else ["--seed", str(seed + call)]
            command = ["predict", "run", "--targets", "targets.csv", "--out", "out.json", *flags, *more]
            with self._ask(command, points.take(wanted), known) as (folder, label):
                with open(Path(folder, "out.json"), encoding="utf-8") as f:
                    for line in f:
                        row = json.loads(line)
                        rows[wanted[label(row["function"], row["target"])]] = row
        return rows

    def score(self, points, context):
        """Return the log density, the CRPS and the PIT of each row, NaN for rows with a missing cell."""
        scores = np.full((len(points), 3), np.nan)
        for wanted, known in self._calls(points, context):
            command = ["score", "run", "--targets", "targets.csv", "--out", "out.csv"]
            with self._ask(command, points.take(wanted), known) as (folder, label):
                with open(Path(folder, "out.csv"), encoding="utf-8", newline="") as f:
                    for row in list(csv.reader(f))[1:]:
                        # The columns end with log_density, crps, pit, mean and sd.
                        scores[wanted[label(row[0], int(row[1]))]] = [float(v) for v in row[-5:-2]]
        return scores

    def _calls(self, points, context):
        """Yield rows of points that one call can take, with the context of their groups.

        A call has a context for each of its groups or for none.
        """
        known = [] if context is None else context.complete()
        groups = {context.group(r) for r in known}
        rows = {True: [], False: []}
        for r in points.complete():
            rows[points.group(r) in groups].append(r)
        if rows[True]:
            asked = {points.group(r) for r in rows[True]}
            yield rows[True], context.take([r for r in known if context.group(r) in asked])
        if rows[False]:
            yield rows[False], None

    def _ask(self, command, targets, context):
        return _Question(self, command, targets, context)


class _Question:
    """A call of the program in a temporary folder, as a context: it gives the folder, and label, which
    returns the row of the targets from what the program calls function and target."""

    def __init__(self, fit, command, targets, context):
        self.fit, self.command, self.targets, self.context = fit, command, targets, context

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="acqnp-")
        folder = self.temporary.__enter__()
        try:
            return folder, self._run(folder)
        except BaseException:
            self.temporary.cleanup()
            raise

    def __exit__(self, *_):
        self.temporary.cleanup()

    def _run(self, folder):
        fit, numbers, command = self.fit, _Numbers(), [*self.command, "--threads", str(self.fit.threads)]
        Path(folder, "run").mkdir()
        Path(folder, "run", fit.FILE).write_bytes(fit.content)
        grouped = bool(fit.grouped_by) and self.targets.groups is not None
        if self.context is not None:
            command += ["--context", "context.csv"]
            self._write(Path(folder, "context.csv"), self.context, grouped, numbers)
        self._write(Path(folder, "targets.csv"), self.targets, grouped, numbers)
        _program.run(fit.program, command, folder, fit.verbose)
        at = {}
        for r in range(len(self.targets)):
            at.setdefault(numbers.of(self.targets.groups[r]) if grouped else "", []).append(r)
        return lambda function, target: at[function][target]

    def _write(self, path, points, grouped, numbers):
        header = ([self.fit.grouped_by] if grouped else []) + self.fit.x + ([] if points.y is None else self.fit.y)
        write_csv(
            path,
            header,
            (
                ([numbers.of(points.groups[r])] if grouped else [])
                + [c[r] for c in points.x]
                + ([] if points.y is None else [repr(points.y[r])])
                for r in range(len(points))
            ),
        )


class _Numbers(dict):
    """Names groups "1", "2", … in the order of their first rows: a name may be a text that the program
    reads as missing."""

    def of(self, group):
        return self.setdefault(group, str(len(self) + 1))
