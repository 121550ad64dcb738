#!/usr/bin/env python3
"""Compares acqnp with rivals on few-shot data: the same splits, each side tuned by validation, one
scoring code. It makes the data sets, fits all models and writes a CSV and a table. See README.md."""
import argparse
import csv
import os
import sys
import warnings

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(pool, "1")
warnings.filterwarnings("ignore")

import data  # noqa: E402
import table  # noqa: E402
from models import RIVALS, stack  # noqa: E402
from program import Ours  # noqa: E402
from scores import score  # noqa: E402


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("ours", nargs="*", metavar="NAME=init|CONFIG[,KEY=VALUE...]",
                   help="a model of acqnp: by `acqnp init`, or a configuration; then --set flags of `acqnp train`")
    p.add_argument("--few-shot", metavar="DIR", help="holds school, mel and lanes (see ../few-shot/README.md)")
    p.add_argument("--data", default="data/rivals", metavar="DIR", help="for the splits that it makes")
    p.add_argument("--sets", default=",".join(data.SETS), help="comma-separated")
    p.add_argument("--rivals", default=",".join(RIVALS), help='comma-separated; "" for none')
    p.add_argument("--splits", default=",".join(map(str, range(data.SPLITS))), help="comma-separated")
    p.add_argument("--acqnp", default="./acqnp", help="the program")
    p.add_argument("--runs", default="runs/rivals", metavar="DIR", help="for acqnp's runs")
    p.add_argument("--threads", default="1", help="of acqnp; 0: all cores")
    p.add_argument("--context", type=int, default=5000, help="most context points of a function that acqnp reads")
    p.add_argument("--out", default="runs/rivals.csv", metavar="FILE", help="results; kept, and only what is missing is run")
    p.add_argument("--table", metavar="FILE", help="markdown table of all results in --out; default: standard output")
    p.add_argument("--self-test", action="store_true", help="checks the scores with quadrature, the mixed model, and the table")
    o = p.parse_args()
    if o.self_test:
        import selftest
        sys.exit(selftest.run())
    models = {n: RIVALS[n] for n in o.rivals.split(",") if n}
    models |= {spec.partition("=")[0]: Ours(o, spec) for spec in o.ours}
    names = data.make(o.data, o.sets.split(","), o.few_shot)
    done = {(r["set"], r["split"], r["model"]) for r in table.load(o.out)}
    for k in map(int, o.splits.split(",")):
        for name in names:
            problem = None
            for label, model in models.items():
                if (name, str(k), label) in done:
                    continue
                problem = problem or data.read(o.data, name, k)
                append(o.out, measure(name, k, label, model, problem))
    text = table.markdown(table.load(o.out))
    if o.table:
        with open(o.table, "w") as f:
            f.write(text)
    else:
        print(text, end="")


def measure(name, k, label, model, problem):
    begin = seconds()
    prediction, chosen = model(name, k, problem) if isinstance(model, Ours) else model(problem)
    y = stack(problem.test)
    row = dict(set=name, split=k, model=label, targets=len(y), seconds=round(seconds() - begin, 2))
    row |= {c: "" if v is None else f"{v:.5f}" for c, v in score(prediction, y, problem.set.unit).items()} | dict(chosen=str(chosen))
    print(f"{name:10} split {k} {label:18} log density {row['log_density']:>9} CRPS {row['crps']:>9} 50%: {row['cover50'][:4]}"
          f" 90%: {row['cover90'][:4]} {row['seconds']:6.1f} s  {chosen}", file=sys.stderr, flush=True)
    return row


def seconds():
    """Returns the processor time of this process and of those that it started and that ended."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def append(file, row):
    columns = list(row)
    if old := os.path.exists(file):
        with open(file, newline="") as f:  # of an earlier version, perhaps
            columns = next(csv.reader(f))
    os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
    with open(file, "a", newline="") as f:
        w = csv.DictWriter(f, columns, extrasaction="ignore")
        if not old:
            w.writeheader()
        w.writerow(row)


if __name__ == "__main__":
    main()
