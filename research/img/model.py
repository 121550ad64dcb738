#!/usr/bin/env python3
"""Writes a drawing of ACQNP as SVG to standard output: known points, encoder, levels, decoder, mixture.

The densities are those of the equations of docs/explanation/method.md; the numbers in them are invented.
scripts/pictures.sh model writes docs/img/model.svg.
"""

import math

INK, GREY, BLUE, GREEN, ORANGE = "#262626", "#767676", "#2a788e", "#22a884", "#d55e00"
LEVELS = 10
AT = 0.35  # the x where y is asked
LOW, HIGH = -1.6, 1.6  # of y
TOP, BOTTOM = 90, 290  # of the panels, and the row of boxes between them
ROW = (TOP + BOTTOM) / 2

out = []


def add(text):
    out.append(text)


def text(x, y, words, size=15, colour=INK):
    """Adds words, in which _k is a subscript."""
    parts, i = [], 0
    while i < len(words):
        if words[i] == "_":
            parts.append(f'<tspan dy="4" font-size="{size * 0.72:.1f}">{words[i + 1]}</tspan><tspan dy="-4">​</tspan>')
            i += 2
        else:
            parts.append({"<": "&lt;", "&": "&amp;"}.get(words[i], words[i]))
            i += 1
    add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="middle">{"".join(parts)}</text>')


def line(points, colour=INK, width=1.6, arrow=False, more=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    end = ' marker-end="url(#arrow)"' if arrow else ""
    add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{end}{more}/>')


def box(x, y, w, h, name, below=""):
    add(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="#eef5f7" stroke="{BLUE}" stroke-width="1.6"/>')
    text(x + w / 2, y + h / 2 + (5 if not below else -2), name, 17)
    if below:
        text(x + w / 2, y + h / 2 + 18, below, 12, GREY)


def panel(x, w):
    add(f'<rect x="{x}" y="{TOP}" width="{w}" height="{BOTTOM - TOP}" fill="#fff" stroke="#c8c8c8"/>')


def height(y):
    return BOTTOM - (y - LOW) / (HIGH - LOW) * (BOTTOM - TOP)


def upper(x):
    return 0.9 * math.cos(1.1 * x)


def lower(x):
    return 0.25 * math.sin(1.6 * x) - 0.95


def known(left, w):
    """The panel of the known points of a group with two branches."""
    panel(left, w)
    for branch in (upper, lower):
        line([(left + (i - 50) / 4 * w / 25 + w / 2, height(branch((i - 50) / 25))) for i in range(101)], "#dcdcdc", 1.6)
    for i, x in enumerate((-1.75, -1.4, -1.05, -0.75, -0.45, -0.1, 0.15, 0.7, 1.0, 1.3, 1.65)):
        y = (upper, lower, lower, upper)[i % 4](x)
        add(f'<circle cx="{left + (x + 2) / 4 * w:.1f}" cy="{height(y):.1f}" r="4" fill="#111"/>')
    at = left + (AT + 2) / 4 * w
    line([(at, TOP), (at, BOTTOM)], ORANGE, 1.6, more=' stroke-dasharray="5 4"')
    text(at, BOTTOM + 19, "x", 16, ORANGE)
    text(left + w / 2, TOP - 30, "known points of a group", 16)
    text(left + w / 2, TOP - 11, "(x_i, y_i), on two branches", 13, GREY)


def levels(x, y, w, values, colour, name):
    """An axis from 0 to 1 with a tick for each level."""
    line([(x, y), (x + w, y)], GREY, 1.2)
    for v in values:
        line([(x + v * w, y - 9), (x + v * w, y + 9)], colour, 2.2)
    text(x - 5, y + 22, "0", 11, GREY)
    text(x + w + 5, y + 22, "1", 11, GREY)
    text(x + w / 2, y - 17, name, 15)


def laplace(y, mu, sigma, tau):
    """Equation (1)."""
    e = y - mu
    return tau * (1 - tau) / sigma * math.exp(-max(tau * e, (tau - 1) * e) / sigma)


def mixture(left, w, taus):
    """The panel of the density at x: the components of equation (9), and their sum."""
    panel(left, w)
    parts = []
    for tau in taus:
        branch = lower(AT) if tau < 0.5 else upper(AT)
        near = tau / 0.5 - 0.5 if tau < 0.5 else (tau - 0.5) / 0.5 - 0.5
        parts.append((1 / len(taus), branch + 0.22 * near, 0.022, tau))
    ys = [LOW + i * (HIGH - LOW) / 400 for i in range(401)]
    each = [[weight * laplace(y, mu, sigma, tau) for y in ys] for weight, mu, sigma, tau in parts]
    total = [sum(column) for column in zip(*each)]
    scale = 0.86 * w / max(total)
    outline = [(left, height(LOW))] + [(left + scale * p, height(y)) for p, y in zip(total, ys)] + [(left, height(HIGH))]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
    add(f'<polygon points="{path}" fill="{BLUE}" fill-opacity="0.22" stroke="{BLUE}" stroke-width="1.8"/>')
    for component in each:
        line([(left + scale * p, height(y)) for p, y in zip(component, ys) if p * scale > 0.3], GREEN, 0.9)
    text(left + w / 2, TOP - 30, "density of y at x", 16)
    text(left + w / 2, TOP - 11, "one component a level", 13, GREY)
    text(left + w / 2, BOTTOM + 20, "Σ w_k AL(y | μ_k, σ_k, τ_k)", 13, GREY)


def main():
    width, bottom = 1140, 396
    add(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 36 {width} {bottom - 36}" font-family="Helvetica, Arial, sans-serif">')
    add('<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>')
    add(f'<rect width="{width}" height="{bottom}" fill="#fff"/>')

    known(24, 176)
    line([(204, ROW), (236, ROW)], arrow=True)
    box(240, ROW - 36, 96, 72, "encoder", "of each point")
    line([(338, ROW), (396, ROW)], arrow=True)
    text(366, ROW - 9, "mean", 13, GREY)
    for i in range(8):
        add(f'<rect x="400" y="{ROW - 44 + 11 * i:.1f}" width="16" height="11" fill="{GREEN}" fill-opacity="{0.15 + 0.1 * ((i * 5) % 8):.2f}" stroke="{INK}" stroke-width="0.8"/>')
    text(408, ROW - 54, "r", 18)
    text(408, ROW + 64, "the group", 12, GREY)

    us = [(k + 0.5) / LEVELS for k in range(LEVELS)]
    taus = [1 / (1 + math.exp(-z)) for z in (-1.75, -1.45, -1.2, -1.0, -0.8, 0.8, 1.0, 1.2, 1.45, 1.75)]
    levels(476, 84, 112, us, GREY, "u_k, even")
    line([(532, 110), (532, ROW - 38)], arrow=True)
    box(484, ROW - 34, 96, 68, "ψ", "adaptor")
    line([(418, ROW), (480, ROW)], arrow=True)
    line([(582, ROW), (632, ROW), (632, 112)], arrow=True)
    levels(640, 84, 112, taus, BLUE, "levels τ_k")
    line([(760, 84), (816, 84), (816, ROW - 38)], arrow=True)
    box(768, ROW - 34, 96, 68, "decoder")
    line([(866, ROW), (946, ROW)], arrow=True)
    text(905, ROW - 9, "μ_k, σ_k, w_k", 13, GREY)
    mixture(950, 170, taus)

    # x and r go to ψ and to the decoder.
    at = 24 + (AT + 2) / 4 * 176
    rail = BOTTOM + 50
    line([(at, BOTTOM + 26), (at, rail), (816, rail), (816, ROW + 38)], ORANGE, 1.6, True, more=' stroke-dasharray="5 4"')
    line([(548, rail), (548, ROW + 38)], ORANGE, 1.6, True, more=' stroke-dasharray="5 4"')
    line([(440, ROW), (440, BOTTOM + 22), (792, BOTTOM + 22), (792, ROW + 38)], INK, 1.6, True)
    text(697, 138, "sigmoid(ψ([r, x, u_k]))", 12, GREY)
    text(340, bottom - 14, "once for a group", 14, GREY)
    text(690, bottom - 14, "for each of K levels", 14, GREY)
    line([(240, bottom - 32), (430, bottom - 32)], GREY, 1)
    line([(476, bottom - 32), (930, bottom - 32)], GREY, 1)
    add("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
