"""The picture of paired differences, as SVG: one line a set, the greatest losses first."""
WIDTH, ROW, LEFT, LIMIT = 900, 15, 130, 1.0
COLOURS = ["#0b6fa4", "#c2571a", "#4a8f3c"]


def forest(r, against):
    """Returns the differences of each model of acqnp to the best rival (filled) and to a stack of
    rivals (hollow), with bars of one standard error. Beyond ± LIMIT, points stand at the edge."""
    tools = r.of_kind("acqnp")[:3]
    rows = {t: dict(against(r, t)) for t in tools}
    sets = sorted({s for v in rows.values() for s in v}, key=lambda s: min(v[s]["rival"][1][0] for v in rows.values() if s in v))
    top = 40 + ROW * len(tools)
    height = top + ROW * len(sets) + 40
    at = lambda v: LEFT + (WIDTH - LEFT - 20) * (max(-LIMIT, min(LIMIT / 2, v)) + LIMIT) / (1.5 * LIMIT)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           '<text x="10" y="18">log score beside the best rival (filled) and a stack of rivals (hollow), nats a target; left is worse</text>']
    for i, t in enumerate(tools):
        out.append(f'<circle cx="16" cy="{34 + ROW * i}" r="4" fill="{COLOURS[i]}"/><text x="26" y="{38 + ROW * i}">{t}</text>')
    for v in (-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5):
        out.append(f'<line x1="{at(v):.1f}" x2="{at(v):.1f}" y1="{top - 6}" y2="{height - 30}" stroke="{"#333" if v == 0 else "#ddd"}"/>'
                   f'<text x="{at(v):.1f}" y="{height - 14}" text-anchor="middle">{v:+.2f}</text>'.replace("-0.", "−0.").replace("-1.", "−1."))
    for j, s in enumerate(sets):
        y = top + ROW * j + 6
        out.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{s}</text>')
        for i, t in enumerate(tools):
            if s in rows[t]:
                out += [point(rows[t][s][name][1], at, y + 3 * (i - (len(tools) - 1) / 2), COLOURS[i], name == "rival") for name in ("stack", "rival") if rows[t][s][name][1]]
    return "\n".join(out + ["</svg>"]) + "\n"


def point(d, at, y, colour, filled):
    m, e, _ = d
    bar = f'<line x1="{at(m - e):.1f}" x2="{at(m + e):.1f}" y1="{y}" y2="{y}" stroke="{colour}" opacity="0.5"/>' if filled else ""
    return bar + f'<circle cx="{at(m):.1f}" cy="{y}" r="3.5" fill="{colour if filled else "white"}" stroke="{colour}"/>'
