#!/usr/bin/env python3
"""Draws docs/img/gpu-steps.svg from research/data/gpu-steps.csv: the time of a training step on a GPU by
acqnp and by PyTorch, a bar each. Called by scripts/pictures.sh."""
import csv
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BARS = [("acqnp, fp16", ["fp16"], "#0b6fa4"),
        ("PyTorch at its best", ["eager", "tf32, eager", "graph", "compile", "amp", "amp-graph", "amp-compile"], "#c2571a"),
        ("acqnp, fp32", ["fp32"], "#86b8d4"),
        ("PyTorch, eager fp32", ["eager"], "#e5b394")]
WIDTH, LEFT, ROW, GAP, TOP = 760, 230, 17, 12, 30


def bars(row):
    """Returns (name, ms, colour) of each bar of a model."""
    for name, columns, colour in BARS:
        times = [float(row[c]) for c in columns if row[c]]
        yield name, min(times), colour


def draw(rows):
    longest = max(ms for row in rows for _, ms, _ in bars(row))
    out, y = [], TOP
    for row in rows:
        out.append(f'<text x="10" y="{y + 13}" font-weight="bold">{row["model"]}</text>')
        for name, ms, colour in bars(row):
            wide = (WIDTH - LEFT - 60) * ms / longest
            out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>'
                       f'<rect x="{LEFT}" y="{y + 2}" width="{wide:.1f}" height="{ROW - 4}" fill="{colour}"/>'
                       f'<text x="{LEFT + wide + 6:.1f}" y="{y + 13}">{ms:.2f}</text>')
            y += ROW
        y += GAP
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{y}" fill="white"/>',
            '<text x="10" y="18">A training step on one NVIDIA H100, in milliseconds: shorter is better</text>')
    return "\n".join([*head, *out, "</svg>"]) + "\n"


with open(os.path.join(ROOT, "research", "data", "gpu-steps.csv"), newline="") as f:
    rows = list(csv.DictReader(f))
with open(os.path.join(ROOT, "docs", "img", "gpu-steps.svg"), "w") as f:
    f.write(draw(rows))
