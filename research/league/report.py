"""The page of results, research/league/results.md: losses, a picture and ranks first, all tables behind them."""
import csv
import os

import numpy as np

import data
import drawn
import picture
import rivals
import runs
import simulated

CLOSE = 0.02  # nats: what is no farther behind is no loss
ON_ONE = " on split 0, beside all rivals"
ORDER = [*simulated.SETS, *drawn.SETS, *data.SETS]


def load(file):
    """Returns the rows of a results file; a later row replaces an earlier one of the same split and tool."""
    if not os.path.exists(file):
        return []
    with open(file, newline="") as f:
        return list({(r["set"], r["split"], r["context"], r["tool"]): r for r in csv.DictReader(f)}.values())


class Results:
    """Scores by set, tool, context and split."""

    def __init__(self, rows):
        self.rows = [r for r in rows if r["context"]]
        self.skipped = [r for r in rows if not r["context"]]
        self.at = {}
        for r in self.rows:
            self.at.setdefault((r["set"], r["tool"]), {}).setdefault(r["split"], {})[r["context"]] = r
        found = list(dict.fromkeys(r["set"] for r in self.rows))
        self.sets = [s for s in ORDER if s in found] + [s for s in found if s not in ORDER]
        kinds = rivals.kinds()
        tools = list(dict.fromkeys(r["tool"] for r in self.rows))
        order = ["exact", *kinds]
        self.tools = [t for t in order if t in tools] + [t for t in tools if t not in order]
        self.of_kind = lambda *ks: [t for t in self.tools if kinds.get(t, "exact" if t == "exact" else "acqnp") in ks]
        self.contexts = [c for c in ("0", "1", "3", "10", "rest") if any(r["context"] == c for r in self.rows)]

    def values(self, s, tool, column="log_score", context=None):
        """Returns a number for each split, {split: mean over contexts}, or of one context."""
        out = {}
        for k, of in self.at.get((s, tool), {}).items():
            v = [float(r[column]) for c, r in of.items() if (context is None or c == context) and r[column]]
            if v:
                out[k] = np.mean(v)
        return out

    def mean(self, s, tool, column="log_score", context=None):
        v = self.values(s, tool, column, context)
        return np.mean(list(v.values())) if v else np.nan

    def paired(self, s, a, b, context=None):
        """Returns the mean of a − b over the splits that both have, its standard error (0 for one split), and
        their number; None without any."""
        x, y = self.values(s, a, "log_score", context), self.values(s, b, "log_score", context)
        d = np.array([x[k] - y[k] for k in x if k in y])
        return (d.mean(), d.std(ddof=1) / len(d)**0.5 if len(d) > 1 else 0.0, len(d)) if len(d) else None

    def best(self, s, tool, among, context=None):
        """Returns the tool of among with the highest mean on the splits of tool; those with fewer splits do
        not count."""
        own, top = self.values(s, tool, "log_score", context), (-np.inf, None)
        for t in among:
            v = self.values(s, t, "log_score", context)
            if t != tool and own and all(k in v for k in own):
                top = max(top, (np.mean([v[k] for k in own]), t))
        return top[1]


def outcome(d):
    """Returns what a paired difference is: a tie lies within its error."""
    return "win" if d[0] > d[1] else "loss" if d[0] < -d[1] else "tie"


def close(d):
    """Reports whether a difference is no farther behind than CLOSE or its error."""
    return d[0] >= -max(CLOSE, d[1])


def signed(d):
    if not d:
        return ""
    return (f"{d[0]:+.3f}" + f" ± {d[1]:.3f}" * (d[2] > 1)).replace("-", "−")


def table(header, lines):
    return ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)] + ["| " + " | ".join(l) + " |" for l in lines]


def first(r):
    """Returns the results of split 0 alone, where a tool has run on it and not on all splits of a set, or None."""
    short = any(set(r.at[s, t]) == {"0"} < set(r.at[s, u]) for s in r.sets for t in r.of_kind("simple", "rival") for u in r.of_kind("acqnp") if (s, t) in r.at and (s, u) in r.at)
    return Results([row for row in r.rows if row["split"] == "0"]) if short else None


def even(r):
    """Returns the results of those tools of each set that have as many splits there as any, without rivals
    that have run on split 0 of most sets."""
    if first(r) is None:
        return r
    most = {s: max(len(r.at[s, t]) for t in r.tools if (s, t) in r.at) for s in r.sets}
    late = [t for t in r.of_kind("simple", "rival", "mixture") if t not in {n for equal, stack, names in rivals.mixtures()[:1] for n in (equal, stack, *names)}]
    return Results([row for row in r.rows if len(r.at[row["set"], row["tool"]]) == most[row["set"]] and row["tool"] not in late])


def against(r, tool):
    """Returns (set, {name: (rival, difference)}) of a tool for each set, the greatest loss to the best
    rival first. The mixtures are of all rivals where these have run on the tool's splits."""
    single, out = r.of_kind("simple", "rival"), []
    mixed = lambda s, *names: next(([n] for n in names if r.paired(s, tool, n) and set(r.at[s, tool]) <= set(r.at[s, n])), [])
    for s in r.sets:
        of = {}
        for name, among in (("rival", single), ("simple", r.of_kind("simple")), 
                            ("stack", mixed(s, rivals.ALL_STACK, rivals.STACK)), ("equal", mixed(s, rivals.ALL_EQUAL, rivals.EQUAL))):
            b = r.best(s, tool, among)
            of[name] = (b, r.paired(s, tool, b)) if b else (None, None)
        if of["rival"][0]:
            out.append((s, of))
    return sorted(out, key=lambda v: v[1]["rival"][1][0])


def losses(r, tool, where=""):
    """Returns the paragraph and the table of what a tool loses."""
    rows, failed = against(r, tool), [row for row in r.skipped if row["tool"] == tool and row["chosen"].startswith("failed")]
    out = [f"### {tool}{where}", ""]
    if failed:
        splits = lambda s: ", ".join(row["split"] for row in failed if row["set"] == s)
        out += [f"It failed on {'; '.join(f'{s} (split {splits(s)})' for s in dict.fromkeys(row['set'] for row in failed))}. The reasons are at the end.", ""]
    if not rows:
        return out if failed else []
    got = lambda name: [of[name][1] for _, of in rows if of[name][1]]
    count = lambda name: f"{sum(map(close, got(name)))} of {len(got(name))}"
    kinds = [outcome(d) for d in got("rival") if d[2] > 1]
    seconds = np.median([r.mean(s, tool, "fit_seconds") for s, _ in rows])
    out += [f"Within {CLOSE} nats or one paired standard error of the best rival, chosen after the fact: {count('rival')} sets; "
           f"of the best simple model: {count('simple')}; of a stack of rivals: {count('stack')}; of their equal mixture: {count('equal')}. " +
           (f"Beside the best rival of sets with several splits: {kinds.count('win')} wins, {kinds.count('tie')} ties, {kinds.count('loss')} losses. " if kinds else "") +
           f"Median processor time of a fit: {seconds:.1f} s.", ""]
    bad = [(s, of) for s, of in rows if not all(close(d) for _, d in of.values() if d)]
    if bad:
        out += ["What it loses, the greatest loss to the best rival first:", ""]
        out += table(["set", "best rival", "difference", "best simple", "difference", "to the stack", "to the equal mixture", "splits"],
                     [[s, of["rival"][0], mark(of["rival"][1]), of["simple"][0], mark(of["simple"][1]), mark(of["stack"][1]), mark(of["equal"][1]), str(of["rival"][1][2])]
                      for s, of in bad]) + [""]
    return out


def by_context(r, tool):
    """Returns the table of differences to the best rival, and its name, at each context."""
    lines, single = [], r.of_kind("simple", "rival")
    for s in r.sets:
        cells = [(r.best(s, tool, single, c), c) for c in r.contexts]
        if any(b for b, _ in cells):
            lines.append([s, *(f"{mark(r.paired(s, tool, b, c))} {b}" if b else "" for b, c in cells)])
    return table(["set", *r.contexts], lines)


def mark(d):
    return "" if not d else signed(d) if close(d) else f"**{signed(d)}**"


def ranks(r):
    """Returns the table of mean ranks, over the sets where a tool has as many splits as any."""
    tools, lines = [t for t in r.tools if t != "exact"], []
    place = {t: {} for t in tools}
    for context in [None, *r.contexts]:
        for s in r.sets:
            v = [(t, r.mean(s, t, "log_score", context)) for t in tools]
            v = sorted([p for p in v if np.isfinite(p[1])], key=lambda p: -p[1])
            for i, (t, _) in enumerate(v):
                place[t].setdefault(context, []).append(1 + i * (len(tools) - 1) / max(1, len(v) - 1))
    average = lambda t, c, mean=np.mean: mean([r.mean(s, t, c) for s in r.sets if (s, t) in r.at])
    for t in sorted((t for t in tools if None in place[t]), key=lambda t: np.mean(place[t][None])):
        seconds = [r.mean(s, t, "fit_seconds") for s in r.sets if r.values(s, t, "fit_seconds")]
        lines.append([t, str(len(place[t][None])), *(f"{np.mean(place[t][c]):.1f}" if c in place[t] else "" for c in [None, *r.contexts]),
                      f"{average(t, 'crps_relative', np.median):.3f}", f"{100 * average(t, 'cover50'):.0f}%", f"{100 * average(t, 'cover90'):.0f}%",
                      f"{np.median(seconds):.1f}" if seconds else ""])
    return table(["tool", "sets", "rank", *(f"at {c}" for c in r.contexts), "CRPS", "50%", "90%", "seconds"], lines)


def regrets(r, context=None):
    """Returns the table of what tools lose to the exact posterior predictive, in nats a target, with one line a
    set; the least loss is bold."""
    lost = {t: {s: d for s in r.sets if (d := r.paired(s, "exact", t, context))} for t in r.tools if t != "exact"}
    tools, lines = [t for t in lost if lost[t]], []
    for s in [s for s in r.sets if any(s in lost[t] for t in tools)]:
        least = min(lost[t][s][0] for t in tools if s in lost[t])
        cell = lambda d: signed(d).replace("+", "") if d[0] > least else f"**{signed(d).replace('+', '')}**"
        lines.append([s, *(cell(lost[t][s]) if s in lost[t] else "" for t in tools)])
    return table(["set", *tools], lines) if lines else []


def programs(r):
    """Returns the table of differences between the first program and the others on the splits of both."""
    one, *others = r.of_kind("acqnp") or [None]
    cells = {t: {s: r.paired(s, one, t) for s in r.sets if r.paired(s, one, t)} for t in others}
    lines = [[s, *(signed(cells[t].get(s)) for t in others), *(str(cells[t][s][2]) if s in cells[t] else "" for t in others)]
             for s in r.sets if any(s in c for c in cells.values())]
    seconds = lambda t, sets: np.median([r.mean(s, t, "fit_seconds") for s in sets])
    said = [f"- {one} over {t}: {np.mean([d[0] for d in c.values()]):+.3f} nats in the mean of {len(c)} sets, ahead on {sum(d[0] > 0 for d in c.values())}; "
            f"median seconds on these {seconds(one, c):.1f} and {seconds(t, c):.1f}.".replace("-0.", "−0.") for t, c in cells.items()]
    return said + [""] + table(["set", *(f"over {t}" for t in others), *(f"splits ({t})" for t in others)], lines) if lines else []


def grid(r, column, context, best):
    """Returns a table with one line a set and one column a tool; the best is bold."""
    tools = [t for t in r.tools if any(np.isfinite(r.mean(s, t, column, context)) for s in r.sets)]
    lines = []
    for s in r.sets:
        v = np.array([r.mean(s, t, column, context) for t in tools])
        if ran := [x for x, t in zip(v, tools) if np.isfinite(x) and t != "exact"]:
            top = best(ran)
            lines.append([s, *("" if not np.isfinite(x) else (f"**{x:.3f}**" if x == top else f"{x:.3f}").replace("-", "−") for x in v)])
    return table(["set", *tools], lines)


def markdown(r, lines=()):
    """Returns the page."""
    splits = sorted({r_["split"] for r_ in r.rows})
    out = ["# The league", "",
           f"Tools that predict groups they have not seen, from few points of each, with whole distributions: {len(r.sets)} sets, "
           f"{len(splits)} split{'s' * (len(splits) != 1)}, contexts of {', '.join(c for c in r.contexts if c != 'rest')} points. `league.py` writes this page from",
           "[results.csv](results/results.csv); [its README](README.md) says what is measured and how to",
           "add a tool or a set. Where one group alone is known, points of it are unseen (context: rest).",
           "A difference is the mean over splits of that in log score, averaged over the contexts, ± its",
           "standard error: positive is better. A difference within its error is a tie, for wins as for losses.",
           "Where no error stands, one split alone was run, and a loss beyond 0.02 counts as one.",
           "All sets are *seen*: something was chosen on them, or their results were looked at.", ""]
    for line in lines:
        out += ["- " + "; ".join(f"{k}: {v}" for k, v in line.items() if v)]
    start, same = first(r), even(r)
    if start:
        out += ["", "Two tables: all splits beside the rivals that have run on them, and split 0 beside all rivals. A stack and an equal "
                "mixture are of the rivals that have run everywhere, and on split 0 of all."]
    out += ["", "## Losses first", ""]
    for t in r.of_kind("acqnp"):
        out += losses(r, t)
        if start and any(len(r.at[s, t]) > 1 for s in r.sets if (s, t) in r.at):
            out += losses(start, t, ON_ONE)
    out += ["![paired differences to the best rival and to the stack](results/differences.svg)", "", "## Ranks", "",
            "Mean rank in log score over the sets, 1 for the best, also at each context; the median CRPS as a",
            "share of that of the training part's distribution; mean coverage; the median processor seconds of",
            "a fit. A tool is ranked on the sets that it has run.", ""] + ranks(same)
    if start:
        out += ["", "On split 0 alone, with all rivals:", ""] + ranks(start)
    if beside := programs(r):
        out += ["", "## The programs beside each other", ""] + beside
    if regret := regrets(same):
        out += ["", "## Regret", "", "What is lost to the exact posterior predictive density of simulated sets, in nats a target, ± the",
                "paired standard error; all contexts:", ""] + regret
        if start:
            out += ["", "On split 0 alone, with all rivals:", ""] + regrets(start)
        for c in r.contexts[:-1] if "rest" in r.contexts else r.contexts:
            out += ["", f"With {c} points:", ""] + regrets(same, c)
    for t in r.of_kind("acqnp"):
        out += ["", f"## {t} beside the best rival of each context", ""] + by_context(r, t)
    if start:
        out += ["", "## Log score on split 0, mean over contexts", ""] + grid(start, "log_score", None, max)
    for c in r.contexts:
        name = f"{c} points" if c != "rest" else "all other points"
        out += ["", f"## Log score with {name} of context", ""] + grid(same, "log_score", c, max)
        out += ["", f"CRPS with {name}, as a share of that of the training part's distribution:", ""] + grid(same, "crps_relative", c, min)
    skips = {}
    for row in r.skipped:
        skips.setdefault((row["tool"], row["chosen"].partition(": ")[2]), []).append(row["set"])
    if skips:
        out += ["", "## Left out", ""] + [f"- {t}: {why} ({', '.join(dict.fromkeys(sets))})." for (t, why), sets in skips.items()]
    return "\n".join(out) + "\n"


def write(out):
    """Writes the page and the picture beside a results file."""
    r = Results(load(os.path.join(out, "results.csv")))
    with open(out.rstrip("/") + ".md", "w") as f:
        f.write(wrapped(markdown(r, runs.load(out))))
    with open(os.path.join(out, "differences.svg"), "w") as f:
        f.write(picture.forest(r, against))


def wrapped(text):
    """Returns text with its prose wrapped at 100 columns; tables, pictures and headings stay."""
    import textwrap
    keep = lambda line: line.startswith(("|", "#", "!")) or len(line) <= 100
    return "\n".join(line if keep(line) else textwrap.fill(line, 100, subsequent_indent="  " * line.startswith("- "), break_long_words=False) for line in text.split("\n"))
