"""Compare acqnp fit of crossed groups, 'rt ~ x | subject + item', with the exact Gaussian model.

    go build ./cmd/acqnp
    /usr/bin/python3 research/crossed/crossed.py --program ./acqnp --sizes 20x20,60x12,200x100 --sets 3 --instant

SIZE is subjects x rows of each, of as many items as subjects or of --items. It prints, for each size and kind of question, the
mean log density of a target by the program and by the true model, what is missing to it (regret, in nats, its standard
error over sets beside it), the same for the true formula with the variances that REML estimates (plug-in), and how often
the probability integral transform lies in the middle 50 and 90%. With --effect 0, items do nothing: the regret is then
beside a fit of 'rt ~ x | subject'.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SUBJECT, RESIDUAL, SLOPE = 0.6, 0.4, 0.5
KINDS = ("new subject, known item", "known subject, new item", "both new", "both known", "both new, nothing of the item")


def draw(rng, subjects, items, each, effect, asked):
    """Return rows (subject, item, x, y) to learn from, and known points and targets of each kind, of so many subjects."""
    u, v = rng.normal(0, SUBJECT, 2 * subjects), rng.normal(0, effect, items + items // 4 + 2)
    y = lambda s, i, x: SLOPE * x + u[s] + v[i] + rng.normal(0, RESIDUAL)  # noqa: E731
    row = lambda s, i: (s, i, x := rng.normal(), y(s, i, x))  # noqa: E731
    known, new = range(items), range(items, len(v))
    train = [row(s, i) for s in range(subjects) for i in rng.choice(known, each, replace=False)]
    asked = min(asked, subjects)
    fresh = range(subjects, subjects + asked)
    context = {k: [] for k in KINDS}
    targets = {k: [] for k in KINDS}
    for s in fresh:
        own = rng.choice(known, 8, replace=False)
        context[KINDS[0]] += [row(s, i) for i in own[:4]]
        targets[KINDS[0]] += [row(s, i) for i in own[4:]]
        some = rng.choice(new, 5, replace=False)
        context[KINDS[2]] += [row(s, i) for i in [*own[:3], *some[:2]]]
        targets[KINDS[2]] += [row(s, i) for i in some[2:]]
        context[KINDS[4]] += [row(s, i) for i in own[:4]]
        targets[KINDS[4]] += [row(s, i) for i in some[2:]]
    for s in range(asked):
        some = rng.choice(new, 3, replace=False)
        context[KINDS[1]].append(row(s, some[0]))
        targets[KINDS[1]] += [row(s, i) for i in some[1:]]
        targets[KINDS[3]] += [row(s, i) for i in rng.choice(known, 2, replace=False)]
    return train, context, targets


def exact(rows, targets, subjects, items, sds, beta):
    """Return the mean and the deviation of each target given rows, by the crossed model of these deviations."""
    su, si, se = sds
    z = lambda r: (r[0], subjects + r[1])  # noqa: E731
    n = subjects + items
    information = np.diag(np.r_[np.full(subjects, su**-2), np.full(items, max(si, 1e-6) ** -2)])
    right = np.zeros(n)
    for r in rows:
        a, b = z(r)
        left = r[3] - beta[0] - beta[1] * r[2]
        for p in (a, b):
            right[p] += left / se**2
            for q in (a, b):
                information[p, q] += se**-2
    covariance = np.linalg.inv(information)
    mean = covariance @ right
    out = []
    for r in targets:
        a, b = z(r)
        variance = covariance[a, a] + covariance[b, b] + 2 * covariance[a, b] + se**2
        out.append((beta[0] + beta[1] * r[2] + mean[a] + mean[b], np.sqrt(variance)))
    return np.array(out)


def log_density(given, targets):
    z = (np.array([r[3] for r in targets]) - given[:, 0]) / given[:, 1]
    return -0.5 * z**2 - np.log(given[:, 1]) - 0.5 * np.log(2 * np.pi)


def write(path, rows):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["subject", "item", "x", "rt"])
        out.writerows((f"s{s}", f"i{i}", x, y) for s, i, x, y in rows)


def call(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def score(program, folder, fit, context, targets):
    """Return the log density and the PIT of each target."""
    write(folder / "t.csv", targets)
    flags = []
    if context:
        write(folder / "c.csv", context)
        flags = ["--context", folder / "c.csv"]
    call(program, "score", *flags, "--targets", folder / "t.csv", "--out", folder / "s.csv", "--overwrite", fit)
    with open(folder / "s.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    return np.array([[float(r["log_density"]), float(r["pit"])] for r in rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="./acqnp")
    parser.add_argument("--sizes", default="20x20,60x12,200x100")
    parser.add_argument("--items", type=int)
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--asked", type=int, default=20, help="subjects of each kind of question")
    parser.add_argument("--effect", type=float, default=0.8)
    parser.add_argument("--instant", action="store_true")
    o = parser.parse_args()
    for size in o.sizes.split(","):
        subjects, each = map(int, size.split("x"))
        items = o.items or max(each, min(subjects, 100))
        results = {k: [] for k in KINDS}
        for seed in range(o.first, o.first + o.sets):
            rng = np.random.default_rng(seed)
            train, context, targets = draw(rng, subjects, items, each, o.effect, o.asked)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write(folder / "data.csv", train)
                flags = ["--instant"] if o.instant else []
                formulas = ["rt ~ x | subject + item"] + (["rt ~ x | subject"] if o.effect == 0 else [])
                for k, formula in enumerate(formulas):
                    said = json.loads(call(o.program, "fit", folder / "data.csv", formula, "--out", folder / f"{k}.fit", "--no-picture", "--json", *flags))
                    table = table if k else said["table"]
                estimated = [*(level["standard_deviation"] for level in table["levels"]), table["residual"]["standard_deviation"]]
                beta = [c["estimate"] for c in table["coefficients"]]
                for k in KINDS:
                    known = train + context[k]
                    counts = 2 * subjects, items + items // 4 + 2
                    own = score(o.program, folder, folder / "0.fit", context[k], targets[k])
                    best = log_density(exact(known, targets[k], *counts, (SUBJECT, o.effect, RESIDUAL), (0, SLOPE)), targets[k])
                    if o.effect == 0:
                        best = score(o.program, folder, folder / "1.fit", context[k], targets[k])[:, 0]
                    plug_in = log_density(exact(known, targets[k], *counts, estimated, beta), targets[k])
                    off = np.abs(own[:, 1] - 0.5)
                    results[k].append([own[:, 0].mean(), best.mean(), (best - own[:, 0]).mean(), (best - plug_in).mean(), (off < 0.25).mean(), (off < 0.45).mean()])
        for k in KINDS:
            m = np.mean(results[k], axis=0)
            error = np.std([r[2] for r in results[k]], ddof=1) / np.sqrt(o.sets) if o.sets > 1 else np.nan
            print(f"{subjects} x {items}, {each} rows each; {k}: {m[0]:.3f}, best {m[1]:.3f}, regret {m[2]:.3f} ± {error:.3f}, plug-in {m[3]:.3f}, coverage {100 * m[4]:.0f}% {100 * m[5]:.0f}%", flush=True)


if __name__ == "__main__":
    main()
