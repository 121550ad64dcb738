#!/usr/bin/python3
"""Compares two programs on counts and grades that lme4, MASS, rpart and mlmRev ship, with groups held out.

    python3 research/outcomes/real.py OLD NEW SET...

Each of five folds of groups is predicted by acqnp fit --instant of the others, with no and with the first three rows of a
group known. It prints the mean log probability of a row of a group by each program, and the difference with its standard
error over groups. A row that cannot be by a program counts as -20. Debian: r-cran-lme4, r-cran-mlmrev.
"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile

SETS = {  # the formula, and a data frame d in R with the group g
    "cbpp": ("y ~ period + offset(log(size)) | g", "d <- with(lme4::cbpp, data.frame(g = herd, y = incidence, size, period = paste0('p', period)))"),
    "ticks": ("y ~ height + year | g", "d <- with(lme4::grouseticks, data.frame(g = BROOD, y = TICKS, height = HEIGHT, year = YEAR))"),
    "arabidopsis": ("y ~ nutrient + amd + rack + status | g", "d <- with(lme4::Arabidopsis, data.frame(g = gen, y = total.fruits, nutrient, amd, rack = paste0('r', rack), status))"),
    "epil": ("y ~ base + age + trt + period | g", "d <- with(MASS::epil, data.frame(g = subject, y, base, age, trt, period))"),
    "quine": ("y ~ age + lrn | g", "d <- with(MASS::quine, data.frame(g = paste(Eth, Sex, Age, Lrn), y = Days, age = Age, lrn = Lrn))"),
    "solder": ("y ~ opening + solder + panel | g", "d <- with(rpart::solder.balance, data.frame(g = paste(Mask, PadType), y = skips, opening = Opening, solder = Solder, panel = Panel))"),
    "verbagg": ("y ~ anger + btype + situ + mode | g", "v <- lme4::VerbAgg; v <- v[v$id %in% levels(v$id)[1:150], ]; d <- with(v, data.frame(g = id, y = as.integer(resp), anger = Anger, btype, situ, mode))"),
    "insteval": ("y ~ lectage + service + studage | g", "v <- lme4::InstEval; v <- v[v$s %in% levels(v$s)[1:120], ]; d <- with(v, data.frame(g = s, y, lectage, service, studage))"),
    "chem97": ("y ~ gcse + gender + age | g", "v <- mlmRev::Chem97; v <- v[v$school %in% levels(v$school)[1:60], ]; d <- with(v, data.frame(g = school, y = score, gcse = gcsescore, gender, age))"),
}


def main():
    old, new = (os.path.abspath(p) for p in sys.argv[1:3])
    for name in sys.argv[3:] or SETS:
        formula, script = SETS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.csv")
            subprocess.run(["Rscript", "-e", f"{script}; d$g <- paste0('g', d$g); write.csv(d, '{path}', row.names = FALSE)"], check=True, stderr=subprocess.DEVNULL)
            with open(path, newline="") as f:
                rows = list(csv.DictReader(f))
            before, after = (scores(p, formula, rows, folder) for p in (old, new))
        change = [after[g] - before[g] for g in before]
        n, mean = len(change), sum(change) / len(change)
        se = math.sqrt(sum((c - mean) ** 2 for c in change) / (n - 1) / n)
        print(f"{name},{len(rows)},{n},{sum(before.values()) / n:.3f},{mean:.3f},{se:.3f}", flush=True)


def scores(program, formula, rows, folder):
    """Returns the mean score of the rows of each group after its first three."""
    groups, all = sorted({r["g"] for r in rows}), {}
    random.Random(1).shuffle(groups)
    for fold in range(5):
        held, known, targets, count = set(groups[fold::5]), [], [], {}
        for r in rows:
            if r["g"] in held:
                count[r["g"]] = count.get(r["g"], 0) + 1
                (known if count[r["g"]] <= 3 else targets).append(r)
        write(folder, "train.csv", [r for r in rows if r["g"] not in held])
        write(folder, "known.csv", known)
        write(folder, "targets.csv", targets)
        run(program, folder, "fit", "train.csv", formula, "--instant", "--no-picture", "--out", f"{fold}-{os.path.basename(program)}.fit")
        for context in ([], ["--context", "known.csv"]):
            run(program, folder, "score", f"{fold}-{os.path.basename(program)}.fit", "--targets", "targets.csv", "--out", "scores.csv", "--overwrite", *context)
            with open(os.path.join(folder, "scores.csv"), newline="") as f:
                for r, t in zip(csv.DictReader(f), targets, strict=True):
                    log = next(v for k, v in r.items() if "log_density" in k)
                    all.setdefault(t["g"], []).append(max(float(log or "-inf"), -20))
    return {g: sum(v) / len(v) for g, v in all.items()}


def write(folder, name, rows):
    with open(os.path.join(folder, name), "w", newline="") as f:
        w = csv.DictWriter(f, rows[0])
        w.writeheader()
        w.writerows(rows)


def run(program, folder, *args):
    done = subprocess.run([program, *args], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


if __name__ == "__main__":
    main()
