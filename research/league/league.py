#!/usr/bin/env python3
"""A benchmark of tools that predict new groups from few points of each, with whole distributions: the
same splits, contexts and scores for all. It runs what its results lack and writes research/league/results.md.
See README.md."""
import argparse
import contextlib
import csv
import fcntl
import io
import os
import sys
import time
import warnings

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(pool, "1")
warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "tools")]

import numpy as np  # noqa: E402

import combine  # noqa: E402
import data  # noqa: E402
import drawn  # noqa: E402
import report  # noqa: E402
import rivals  # noqa: E402
import runs  # noqa: E402
import simulated  # noqa: E402
from protocol import SPLITS, Skip, choose, filled, log_score, pits, split, stacked  # noqa: E402
from scores import LEVELS, Scored, crps  # noqa: E402

COLUMNS = ["set", "split", "context", "tool", "targets", "log_score", "crps", "crps_relative", "cover50", "cover90",
           "fit_seconds", "predict_seconds", "chosen"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="*", metavar="NAME=PATH[,init]", help="acqnp's program at a path, by fit or by init")
    p.add_argument("--files", default="", metavar="DIR", help="holds school, mel and lanes (see ../few-shot/README.md)")
    p.add_argument("--sets", default=",".join(report.ORDER), help="comma-separated")
    p.add_argument("--tools", default=",".join(rivals.modules()), help='comma-separated files of tools/; "" for none')
    p.add_argument("--splits", default=",".join(map(str, range(SPLITS))), help="comma-separated")
    p.add_argument("--work", default="runs/league", metavar="DIR", help="predictions and runs; what is there is not run again")
    p.add_argument("--out", default="research/league/results", metavar="DIR", help="results.csv, runs.csv; research/league/results.md is beside it")
    p.add_argument("--data", metavar="DIR", help="only writes every set to a CSV file in DIR, and sets.csv beside it")
    p.add_argument("--report", action="store_true", help="only writes the page")
    p.add_argument("--self-test", action="store_true", help="checks exact densities, scores, models and tables")
    o = p.parse_args()
    if o.self_test:
        import selftest
        sys.exit(selftest.run())
    if o.data:
        return export(o)
    results = os.path.join(o.out, "results.csv")
    if not o.report:
        tools = [rivals.modules()[t] for t in o.tools.split(",") if t] + [program(s) for s in o.program]
        runs.note(o.out, tools)
        for k in map(int, o.splits.split(",")):
            for name in o.sets.split(","):
                run(o, name, k, tools, results)
    report.write(o.out)


def program(spec):
    import acqnp
    name, _, rest = spec.partition("=")
    path, _, way = rest.partition(",")
    return acqnp.Program(name, path, way or "fit")


def export(o):
    os.makedirs(o.data, exist_ok=True)
    with open(os.path.join(os.path.dirname(os.path.abspath(o.data)), "sets.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["name", "formula", "unseen_by"])
        for name in o.sets.split(","):
            formula, by_point = data.about(name)
            data.write(name, data.load(name, o.files), os.path.join(o.data, name + ".csv"))
            w.writerow([name, formula, "point" if by_point else "group"])


def run(o, name, k, tools, results):
    """Runs what a split of a set lacks, and appends its scores to the results."""
    folder = os.path.join(o.work, name, f"split-{k}")
    with alone(folder) as mine:
        if not mine:
            return print(f"{name}, split {k}: another process runs it", flush=True)
        done = {(r["set"], r["split"], r["tool"]): bool(r["context"]) for r in report.load(results)}  # False: left out
        pending = [t for t in tools if (name, str(k), t.NAME) not in done]
        mix = (name, str(k), rivals.EQUAL) not in done or bool({t.KIND for t in pending} & {"simple", "rival"})
        if not pending and not mix:
            return
        exact = simulated.SETS.get(name) or drawn.SETS.get(name)
        problem, test = exact.split(k) if name in drawn.SETS else split(data.load(name, o.files), data.about(name)[1], k)
        if not test:
            return print(f"{name}, split {k}: its held-out groups have too few points", flush=True)
        problem.folder = folder
        if exact and (name, str(k), "exact") not in done:
            begin, of = seconds(), {c: exact.answer(ts, problem) for c, ts in test.items()}
            record(problem, name, k, "exact", test, of, (0, dict.fromkeys(test, (seconds() - begin) / len(test)), ""), results)
        whole = filled(problem, test)
        for tool in pending:
            try:
                of, how = attempt(tool, *((problem, test) if hasattr(tool, "run") else whole))
                record(problem, name, k, tool.NAME, test, of, how, results)
            except (Skip, RuntimeError) as reason:
                said = f"skipped: {reason}" if isinstance(reason, Skip) else f"failed: {name}, split {k}: {reason}"
                append(results, [dict(set=name, split=k, tool=tool.NAME, chosen=said)])
            done[name, str(k), tool.NAME] = os.path.exists(predictions(problem, tool.NAME, next(iter(test))))
        if mix:
            combined(problem, name, k, test, done, results)


@contextlib.contextmanager
def alone(folder):
    """Yields whether no other process works in the folder, and keeps others out until the end."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def attempt(tool, problem, test):
    """Returns a tool's distributions of the targets of each context, and (seconds of fitting, of predicting by
    context, the settings that it chose)."""
    begin = seconds()
    if hasattr(tool, "run"):
        predict, chosen = tool.run(problem), ""
    else:
        chosen, inner = choose(problem, tool)
        if chosen is None:
            raise Skip("no candidate could be fitted")
        predict = tool.fit(problem, chosen)
        np.savez_compressed(predictions(problem, tool.NAME, "inner"), **{str(c): v for c, v in inner.items()})
    fitted, of, took = seconds() - begin, {}, {}
    for c, ts in test.items():
        start = seconds()
        of[c] = predict(ts)
        took[c] = seconds() - start
    return of, (fitted, took, str(chosen)[:60])


def predictions(problem, tool, context):
    """Returns the file of a tool's predictions."""
    return os.path.join(problem.folder, f"{tool.replace(' ', '-')}.{context}.npz")


def record(problem, name, k, tool, test, of, how, results):
    """Keeps the scores of each target, and appends the means."""
    (fitted, took, chosen), rows, scored = how, [], {}
    for c, p in of.items():
        y = stacked(test[c])
        if isinstance(p, Scored):
            scored[c] = dict(log_score=p.log_score, crps=p.crps, pit=p.pit)
        else:
            q = p.quantiles()
            scored[c] = dict(log_score=np.maximum(log_score(p, y, problem.unit), -1e3), crps=crps(q, y), pit=pits(p, y, problem.unit), quantiles=q)
        if np.isnan(scored[c]["log_score"]).any():
            raise RuntimeError(f"{tool} predicts NaN at context {c}")
    for c, s in scored.items():
        y = stacked(test[c])
        np.savez_compressed(predictions(problem, tool, c), **s)
        rows.append(row(problem, name, k, c, tool, y, s["log_score"], s["crps"], s["pit"]) |
                    dict(fit_seconds=f"{fitted:.2f}", predict_seconds=f"{took[c]:.3f}", chosen=chosen))
    append(results, rows)
    print(f"{time.strftime('%H:%M:%S')} {name:15} {k} {tool:22} {fitted:6.1f} s  " +
          "  ".join(f"{r['context']}: {float(r['log_score']):.3f}" for r in rows), flush=True)


def row(problem, name, k, c, tool, y, log, scores, pit):
    base = crps(np.tile(np.quantile(problem.rows()[1], LEVELS), (len(y), 1)), y).mean()
    inside = lambda share: f"{np.mean(abs(pit - 0.5) <= share / 2):.4f}"
    return dict(set=name, split=k, context=c, tool=tool, targets=len(y), log_score=f"{log.mean():.5f}", crps=f"{scores.mean():.6g}",
                crps_relative=f"{scores.mean() / base:.5f}", cover50=inside(0.5), cover90=inside(0.9))


def combined(problem, name, k, test, done, results):
    """Scores the mixtures of the rivals that have predicted this split. Where the predictions of one are not in
    the folder of work, those of its results have been made elsewhere, and their mixtures stay as they are."""
    at = lambda t, c: predictions(problem, t, c)
    last, rows = [], []
    for equal, stack, pool in rivals.mixtures():
        names = [n for n in pool if done.get((name, str(k), n))]
        if names == last or not all(os.path.exists(at(n, c)) for n in names for c in [*test, "inner"]):
            continue
        last = names
        for c, ts in test.items():
            y, parts = stacked(ts), [np.load(at(n, c)) for n in names]
            w = combine.weights(np.stack([np.load(at(n, "inner"))[str(c)] for n in names], 1))
            rows.append(row(problem, name, k, c, equal, y, *combine.mixed(parts, y, np.full(len(names), 1 / len(names)))) | dict(chosen=f"{len(names)} tools"))
            rows.append(row(problem, name, k, c, stack, y, *combine.mixed(parts, y, w)) |
                        dict(chosen=" ".join(f"{n}:{v:.2f}" for n, v in zip(names, w) if v > 0.02)))
    append(results, rows)


def seconds():
    """Returns the processor time of this process and of those that it started and that ended."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def append(file, rows):
    """Appends rows in one piece, all or none. A later row of the same set, split, context and tool replaces an
    earlier one."""
    os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
    text = io.StringIO()
    w = csv.DictWriter(text, COLUMNS)
    if not os.path.exists(file):
        w.writeheader()
    w.writerows(rows)
    with open(file, "ab", buffering=0) as f:
        f.write(text.getvalue().encode())


if __name__ == "__main__":
    main()
