#!/usr/bin/env python3
"""Draws research/img/one-pass-seconds.svg from research/data/one-pass-seconds.csv: the log-likelihood of targets after
5 and 20 processor seconds, a panel each benchmark, a line each head. Called by scripts/pictures.sh."""
import csv
import math
import os
import statistics

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADS = [("mixture", "20 Gaussians", "#0b6fa4"), ("quantile-mixture", "20 levels in one pass", "#c2571a"),
         ("quantile", "CQNP", "#5a9e3a"), ("adaptive", "ACQNP", "#7a5aa8")]
PAPER = {"circle": 2.028, "double-sine": 1.349}  # the best of the paper's five models
WIDE, HIGH, LEFT, TOP, GAP = 320, 250, 60, 60, 70
SECONDS = [5, 20]


def panel(benchmark, rows, left):
    values = [float(r["target"]) for r in rows] + [PAPER[benchmark]]
    low, high = math.floor(2 * min(values)) / 2, math.ceil(2 * max(values)) / 2

    def x(seconds):
        return left + 20 + (WIDE - 40) * math.log(seconds / SECONDS[0]) / math.log(SECONDS[-1] / SECONDS[0])

    def y(value):
        return TOP + HIGH * (high - value) / (high - low)
    out = [f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{benchmark}</text>',
           f'<rect x="{left}" y="{TOP}" width="{WIDE}" height="{HIGH}" fill="none" stroke="#888"/>']
    tick = low
    while tick <= high:
        out.append(f'<line x1="{left}" x2="{left + WIDE}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        tick += 0.5
    out += [f'<text x="{x(s):.1f}" y="{TOP + HIGH + 16}" text-anchor="middle">{s} s</text>' for s in SECONDS]
    out.append(f'<line x1="{left}" x2="{left + WIDE}" y1="{y(PAPER[benchmark]):.1f}" y2="{y(PAPER[benchmark]):.1f}" stroke="#444" stroke-dasharray="5 4"/>')
    for key, _, colour in HEADS:
        line = []
        for s in SECONDS:
            of = [float(r["target"]) for r in rows if r["likelihood"] == key and float(r["budget"]) == s]
            out += [f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="2.5" fill="{colour}"/>' for v in of]
            if of:
                line.append(f"{x(s):.1f},{y(statistics.mean(of)):.1f}")
        out.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return out


def draw(rows):
    benchmarks = [b for b in PAPER if any(r["benchmark"] == b for r in rows)]
    width, height = LEFT + len(benchmarks) * (WIDE + GAP) - GAP + 20, TOP + HIGH + 60
    out = []
    for i, b in enumerate(benchmarks):
        out += panel(b, [r for r in rows if r["benchmark"] == b], LEFT + i * (WIDE + GAP))
    at = LEFT
    for _, name, colour in HEADS + [("", "the paper's best, 100,000 steps", "#444")]:
        out.append(f'<rect x="{at}" y="{height - 22}" width="12" height="4" fill="{colour}"/><text x="{at + 16}" y="{height - 16}">{name}</text>')
        at += 30 + 6.4 * len(name)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            f'<text x="{LEFT}" y="22">Log-likelihood of targets after so many processor seconds, one encoder with attention, four heads: higher is better</text>')
    return "\n".join([*head, *out, "</svg>"]) + "\n"


with open(os.path.join(ROOT, "research", "data", "one-pass-seconds.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
with open(os.path.join(ROOT, "research", "img", "one-pass-seconds.svg"), "w") as f:
    f.write(draw(rows))
