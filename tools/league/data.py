"""The data sets and their splits.

A split of a set is a folder with three CSV files. train.csv is what training sees; its column part
says train or valid. context.csv and target.csv are the context and the targets to predict.
"""
import csv
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

SPLITS, SEED = 5, 20230731


@dataclass
class Set:
    """A data set. Functions are held out, and predicted from `context` of their points; where
    `context` is 0, a quarter of the points of every function is held out."""
    function: str  # column; "" for one function
    x: list  # columns
    y: str  # column
    context: int
    source: str  # a Python package, an R script, or FILES
    keep: int = 0  # functions to learn from; 0: all
    unit: float = 0  # in which y is counted; 0: measured


FILES = "few-shot"  # three files of each set, as in tools/few-shot

SETS = {
    "school": Set("school", ["ses"], "math", 10, FILES),
    "school50": Set("school", ["ses"], "math", 10, FILES, keep=50),
    "school12": Set("school", ["ses"], "math", 10, FILES, keep=12),
    "mel": Set("f", ["yesterday"], "today", 0, FILES),
    "lanes": Set("lane", ["flow"], "speed", 0, FILES),
    "sleepstudy": Set("subject", ["days"], "reaction", 3, """
        library(lme4); d <- with(sleepstudy, data.frame(subject=Subject, days=Days, reaction=Reaction))"""),
    "elnino": Set("year", ["month"], "temperature", 3, "statsmodels"),
    "grunfeld": Set("firm", ["value", "capital"], "invest", 5, "statsmodels"),
    "diabetes": Set("", ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"], "progression", 0, "sklearn"),
    "orthodont": Set("subject", ["age", "male"], "distance", 2, """
        library(nlme); d <- with(Orthodont, data.frame(subject=Subject, age=age, male=1*(Sex=="Male"), distance=distance))"""),
    "oxboys": Set("boy", ["age"], "height", 3, """
        library(nlme); d <- with(Oxboys, data.frame(boy=Subject, age=age, height=height))"""),
    "bodyweight": Set("rat", ["time"], "weight", 3, """
        library(nlme); d <- with(BodyWeight, data.frame(rat=Rat, time=Time, weight=weight))"""),
    "chicks": Set("chick", ["time"], "weight", 3, """
        d <- with(ChickWeight, data.frame(chick=Chick, time=Time, weight=weight))"""),
    "loblolly": Set("seed", ["age"], "height", 2, """
        d <- with(Loblolly, data.frame(seed=Seed, age=age, height=height))"""),
    "co2": Set("plant", ["conc", "quebec", "chilled"], "uptake", 2, """
        d <- with(CO2, data.frame(plant=Plant, conc=conc, quebec=1*(Type=="Quebec"),
                                  chilled=1*(Treatment=="chilled"), uptake=uptake))"""),
}

# No setting of the program had been chosen on these sets when they were added. Some have been since.
FRESH = {
    "milk": Set("cow", ["week", "barley", "lupins"], "protein", 4, """
        library(nlme); d <- with(Milk, data.frame(cow=Cow, week=Time, barley=1*(Diet=="barley"),
                                                  lupins=1*(Diet=="lupins"), protein=protein))"""),
    "theoph": Set("subject", ["time", "dose"], "conc", 3, """
        d <- with(Theoph, data.frame(subject=Subject, time=Time, dose=Dose, conc=conc))"""),
    "soybean": Set("plot", ["day", "f"], "weight", 3, """
        library(nlme); d <- with(Soybean, data.frame(plot=Plot, day=Time, f=1*(Variety=="F"), weight=weight))"""),
    "spruce": Set("tree", ["days"], "size", 3, """
        library(nlme); d <- with(Spruce, data.frame(tree=Tree, days=days, size=logSize))"""),
    "ovary": Set("mare", ["time"], "follicles", 6, """
        library(nlme); d <- with(Ovary, data.frame(mare=Mare, time=Time, follicles=follicles))""", unit=1),
    "fatigue": Set("path", ["cycles"], "length", 3, """
        library(nlme); d <- with(Fatigue, data.frame(path=Path, cycles=cycles, length=relLength))"""),
    "dialyzer": Set("subject", ["pressure", "fast"], "rate", 2, """
        library(nlme); d <- with(Dialyzer, data.frame(subject=Subject, pressure=pressure, fast=1*(QB=="300"), rate=rate))"""),
    "cefamandole": Set("subject", ["time"], "conc", 3, """
        library(nlme); d <- with(Cefamandole, data.frame(subject=Subject, time=Time, conc=conc))"""),
}

# Sets of one function, where points are held out. The settings for few points were chosen on their first three splits.
POINTS = {
    "mcycle": Set("", ["times"], "accel", 0, "library(MASS); d <- with(mcycle, data.frame(f='', times, accel))"),
    "airquality": Set("", ["solar", "wind", "temp", "month"], "ozone", 0, """
        d <- with(na.omit(airquality), data.frame(f="", solar=Solar.R, wind=Wind, temp=Temp, month=Month, ozone=Ozone))"""),
    "engel": Set("", ["income"], "food", 0, "statsmodels"),
    "gag": Set("", ["age"], "gag", 0, "library(MASS); d <- with(GAGurine, data.frame(f='', age=Age, gag=GAG))"),
    "boston": Set("", ["lstat", "rm", "crim", "nox", "dis", "ptratio", "tax"], "medv", 0, """
        library(MASS); d <- with(Boston, data.frame(f="", lstat, rm, crim, nox, dis, ptratio, tax, medv))"""),
    "faithful": Set("", ["eruptions"], "waiting", 0, "d <- with(faithful, data.frame(f='', eruptions, waiting))"),
    "geyser": Set("", ["waiting"], "duration", 0, "library(MASS); d <- with(geyser, data.frame(f='', waiting, duration))"),
}

# The sets added last. No setting was chosen on them, but they were not set aside: README.md says what was done.
LAST = {
    "earthquake": Set("quake", ["distance", "richter"], "accel", 2, """
        library(nlme); d <- with(Earthquake, data.frame(quake=Quake, distance=distance, richter=Richter, accel=accel))"""),
    "dnase": Set("run", ["conc"], "density", 4, "d <- with(DNase, data.frame(run=Run, conc=conc, density=density))"),
    "glucose": Set("curve", ["time"], "glucose", 3, """
        library(nlme); d <- with(Glucose2, data.frame(curve=paste0(Subject, "-", Date), time=Time, glucose=glucose))"""),
    "igf": Set("lot", ["age"], "conc", 3, """
        library(nlme); d <- with(IGF, data.frame(lot=Lot, age=age, conc=conc))
        d <- d[ave(d$age, d$lot, FUN=length) >= 6, ]"""),
    "pixel": Set("side", ["day"], "pixel", 2, """
        library(nlme); d <- with(Pixel, data.frame(side=paste0(Dog, Side), day=day, pixel=pixel))"""),
    "wafer": Set("site", ["voltage"], "current", 2, """
        library(nlme); d <- with(Wafer, data.frame(site=paste0(Wafer, "-", Site), voltage=voltage, current=current))"""),
    "sitka": Set("tree", ["time", "ozone"], "size", 2, """
        library(MASS); d <- with(Sitka, data.frame(tree=tree, time=Time, ozone=1*(treat=="ozone"), size=size))"""),
    "nlschools": Set("class", ["iq", "ses"], "lang", 5, """
        library(MASS); d <- with(nlschools, data.frame(class=class, iq=IQ, ses=SES, lang=lang))"""),
    "albumin": Set("patient", ["day", "age"], "albumin", 2, """
        library(survival); d <- with(pbcseq, data.frame(patient=id, day=day, age=round(age, 2), albumin=albumin))
        d <- d[ave(d$day, d$patient, FUN=length) >= 4, ]"""),
    "sunspots": Set("year", ["month"], "number", 3, """
        d <- data.frame(year=floor(time(sunspots) + 0.01), month=cycle(sunspots), number=as.numeric(sunspots))"""),
    "ethanol": Set("", ["c", "e"], "nox", 0, "library(lattice); d <- with(ethanol, data.frame(f='', c=C, e=E, nox=NOx))"),
    "cpus": Set("", ["syct", "mmin", "mmax", "cach", "chmin", "chmax"], "perf", 0, """
        library(MASS); d <- with(cpus, data.frame(f="", syct, mmin, mmax, cach, chmin, chmax, perf))"""),
    "birthwt": Set("", ["age", "lwt", "smoke", "ht"], "bwt", 0, """
        library(MASS); d <- with(birthwt, data.frame(f="", age, lwt, smoke, ht, bwt))"""),
    "cats": Set("", ["bwt", "male"], "hwt", 0, """
        library(MASS); d <- with(cats, data.frame(f="", bwt=Bwt, male=1*(Sex=="M"), hwt=Hwt))"""),
}
SETS |= FRESH | POINTS | LAST


def make(folder, names, few_shot):
    """Writes all splits of the named sets that are not there yet. It returns the names that it
    could make."""
    made = []
    for name in names:
        s = SETS[name]
        if os.path.exists(path(folder, name, SPLITS - 1, "target")):
            made.append(name)
            continue
        if s.source == FILES and not few_shot:
            print(f"{name}: left out, because --few-shot names no folder", file=sys.stderr)
            continue
        made.append(name)
        fold = given(few_shot, name, s) if s.source == FILES else None
        rows = fold.pop("rows") if fold else load(s)
        for k in range(SPLITS):
            write(folder, name, k, split(s, rows, k, fold))
    return made


def path(folder, name, k, part):
    return os.path.join(folder, name, f"split-{k}", part + ".csv")


def load(s):
    """Returns the rows of a set from its package: tuples (function, x…, y) of strings."""
    if s.source == "sklearn":
        from sklearn.datasets import load_diabetes
        d = load_diabetes(scaled=False)
        return [("", *map(repr, map(float, x)), repr(float(y))) for x, y in zip(d.data, d.target)]
    if s.source == "statsmodels":
        import statsmodels.api as sm
        if s.y == "temperature":
            d = sm.datasets.elnino.load_pandas().data.to_numpy()
            return [(str(int(r[0])), str(m), repr(float(r[m]))) for r in d for m in range(1, 13)]
        if s.y == "food":
            d = sm.datasets.engel.load_pandas().data
            return [("", *map(repr, map(float, r))) for r in d[["income", "foodexp"]].to_numpy()]
        d = sm.datasets.grunfeld.load_pandas().data
        return [(f, *(repr(float(v)) for v in r)) for f, r in zip(d.firm, d[["value", "capital", "invest"]].to_numpy())]
    script = s.source + '\nwrite.csv(d, stdout(), row.names=FALSE, quote=FALSE)'
    text = subprocess.run(["Rscript", "-e", script], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [tuple(r) for r in list(csv.reader(text.stdout.splitlines()))[1:]]


def given(few_shot, name, s):
    """Returns the rows of a set of files and its first split: held-out functions, or held-out rows
    by function, and the rows that are the context of held-out functions."""
    base = name.rstrip("0123456789")
    parts = {}
    for part in ("train", "ctx", "tgt"):
        with open(os.path.join(few_shot, f"{base}.{part}.csv"), newline="") as f:
            parts[part] = [(r[s.function], *(r[c] for c in s.x), r[s.y]) for r in csv.DictReader(f)]
    held = parts["ctx"] + parts["tgt"] if s.context else parts["tgt"]
    n = len(parts["train"])
    return dict(rows=parts["train"] + held, held=set(range(n, n + len(held))), context=range(n, n + len(parts["ctx"])))


def split(s, rows, k, first):
    """Returns the rows of the parts of split k; first is a split of the files' own, or None."""
    r = np.random.default_rng([SEED, k])
    of = {}
    for i, row in enumerate(rows):
        of.setdefault(row[0], []).append(i)
    of = {f: of[f] for f in sorted(of)}
    own = first if first and k == 0 else None
    train, valid, context, test = (by_function if s.context else by_point)(s, of, k, r, own, first)
    pick = lambda part: [rows[i] for i in sorted(part)]
    parts = [(*rows[i], "valid" if i in valid else "train") for i in sorted(train)]
    return dict(train=parts, context=pick(context), target=pick(test))


def by_function(s, of, k, r, own, first):
    """Returns the row numbers of training, validation, context and targets. Each function is held
    out once in five folds. With a split of the files' own, the other folds divide what it trains on."""
    folds = np.random.default_rng(SEED).permutation(list(of)).tolist()
    if first:
        given = [f for f in folds if first["held"].issuperset(of[f])]
        rest = [f for f in folds if f not in given]
        held = given if k == 0 else rest[k - 1::SPLITS - 1]
    else:
        held = folds[k::SPLITS]
    context = {i for f in sorted(held) for i in r.permutation(of[f])[:s.context].tolist()}
    if own:
        context = set(own["context"])
    train = [f for f in r.permutation(list(of)).tolist() if f not in held][:s.keep or None]
    valid = train[:max(2, round(len(train) / 10))]
    rows = lambda names: {i for f in names for i in of[f]}
    return rows(train), rows(valid), context, rows(held) - context


def by_point(s, of, k, r, own, first):
    """Returns the row numbers of training, validation, context and targets: a quarter of the points
    of each function is held out, and the context is all of training."""
    test, valid, train = set(), set(), set()
    for at in of.values():
        at = r.permutation(at).tolist()
        out = [i for i in at if i in own["held"]] if own else at[:len(at) // 4]
        rest = [i for i in at if i not in set(out)]
        test |= set(out)
        valid |= set(rest[:round(len(rest) / 10)])
        train |= set(rest)
    return train, valid, train, test


def write(folder, name, k, parts):
    s = SETS[name]
    header = [s.function] * bool(s.function) + s.x + [s.y]
    for part, rows in parts.items():
        file = path(folder, name, k, part)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(header + ["part"] * (part == "train"))
            w.writerows(row[not s.function:] for row in rows)


@dataclass
class Task:
    """Targets of one function to predict from a context."""
    function: str
    cx: np.ndarray  # [context, dx]
    cy: np.ndarray  # [context]
    tx: np.ndarray  # [targets, dx]
    ty: np.ndarray  # [targets]


@dataclass
class Problem:
    """One split. Functions are dictionaries from a name to (x [n, dx], y [n])."""
    set: Set
    train: dict  # without the validation part
    all: dict  # with it
    valid: list  # tasks
    test: list  # tasks
    form: object = None  # of the mixed model, once it is chosen

    def fold(self, i, n):
        """Returns the functions without every n-th from the i-th on, and tasks of those."""
        names = list(self.all)
        out = names[i::n]
        return {f: self.all[f] for f in names if f not in out}, tasks({f: self.all[f] for f in out}, self.set.context, i)


def read(folder, name, k):
    """Returns split k of a set as a Problem. A validation function is predicted from four contexts
    of the size that held-out functions have; validation points from the other training points."""
    s = SETS[name]
    rows = lambda part: list(csv.DictReader(open(path(folder, name, k, part), newline="")))
    train = rows("train")
    every, context, target = group(s, train), group(s, rows("context")), group(s, rows("target"))
    fit, held = (group(s, [r for r in train if r["part"] == p]) for p in ("train", "valid"))
    test = [Task(f, *context[f], *target[f]) for f in target]
    if not s.context:
        return Problem(s, fit, every, [Task(f, *fit[f], *held[f]) for f in held], test)
    return Problem(s, fit, every, tasks(held, s.context, k), test)


def tasks(functions, context, seed):
    """Returns four tasks of each function, with random contexts of that size."""
    r, out = np.random.default_rng([1, seed]), []
    for f, (x, y) in functions.items():
        for _ in range(4):
            at = r.permutation(len(y))
            c, t = at[:context], at[context:]
            if len(t):
                out.append(Task(f, x[c], y[c], x[t], y[t]))
    return out


def group(s, rows):
    out = {}
    for r in rows:
        out.setdefault(r[s.function] if s.function else "", []).append([float(r[c]) for c in s.x + [s.y]])
    return {f: (np.array(v)[:, :-1], np.array(v)[:, -1]) for f, v in out.items()}
