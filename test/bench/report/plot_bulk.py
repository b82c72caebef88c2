#!/usr/bin/env python3
"""Draws build/bench/bulk.json: the crossover curve (time by size, one core and card) as SVG.

usage: plot_bulk.py [bulk.json [crossover.svg]]
"""
import json
import math
import sys

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 215, 50, 60
COLOURS = ["#1b6ca8", "#c0392b", "#2d8a4e", "#8e44ad"]


def size_name(n):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= unit:
            return f"{n // unit} {name}"
    return f"{n} B"


def time_name(s):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if s >= unit * 0.999:
            return f"{s / unit:g} {name}"
    return f"{s:g} s"


def curves(rows):
    """{(cipher, setting): [(bytes, seconds)]} of the crossover rows that were measured."""
    found = {}
    for r in rows:
        if r["section"] == "crossover" and r["seconds"] > 0:
            found.setdefault((r["cipher"], r["setting"]), []).append((r["bytes"], r["seconds"]))
    return {key: sorted(points) for key, points in found.items()}


def crossing(core, card):
    """The size from which the card is never slower, between the measured sizes; None: nowhere."""
    card = dict(card)
    both = [(n, t, card[n]) for n, t in core if n in card]
    last_slower = None
    for i, (_, t_core, t_card) in enumerate(both):
        if t_card > t_core:
            last_slower = i
    if not both or last_slower == len(both) - 1:
        return None
    if last_slower is None:
        return both[0][0]
    (n0, a0, b0), (n1, a1, b1) = both[last_slower], both[last_slower + 1]
    d0, d1 = math.log(b0 / a0), math.log(a1 / b1)
    return round(math.exp(math.log(n0) + math.log(n1 / n0) * d0 / max(d0 + d1, 1e-9)))


def svg(data):
    lines = curves(data["rows"])
    if not lines:
        sys.exit("no crossover rows were measured")
    sizes = [n for points in lines.values() for n, _ in points]
    times = [t for points in lines.values() for _, t in points]
    x0, x1 = math.log2(min(sizes)), math.log2(max(sizes))
    y0, y1 = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(n):
        return LEFT + (math.log2(n) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)

    def y(t):
        return HEIGHT - BOTTOM - (math.log10(t) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="15">Time of one update by size</text>',
        f'<text x="{LEFT}" y="38" fill="#555">{data["card"]}; {data["cores"]} cores, '
        f'{data["cpu backend"]}</text>',
    ]
    for e in range(y0, y1 + 1):
        out.append(f'<path d="M{LEFT} {y(10**e):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(
            f'<text x="{LEFT - 8}" y="{y(10**e) + 4:.1f}" text-anchor="end">{time_name(10.0**e)}</text>'
        )
    for e in range(math.ceil(x0), math.floor(x1) + 1, 2):
        out.append(f'<path d="M{x(2**e):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eee"/>')
        out.append(
            f'<text x="{x(2**e):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
            f"{size_name(2**e)}</text>"
        )
    ciphers = sorted({cipher for cipher, _ in lines})
    label = TOP + 10
    for colour, cipher in zip(COLOURS, ciphers):
        for setting, dash in (("one core", "5 4"), ("card", "")):
            points = lines.get((cipher, setting))
            if not points:
                continue
            path = "M" + "L".join(f"{x(n):.1f} {y(t):.1f}" for n, t in points)
            out.append(
                f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/>'
            )
            at = WIDTH - RIGHT + 12
            out.append(
                f'<path d="M{at} {label}h24" stroke="{colour}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/>'
                f'<text x="{at + 30}" y="{label + 4}">{cipher.removesuffix("-CTR")}, {setting}</text>'
            )
            label += 18
        core, card = lines.get((cipher, "one core")), lines.get((cipher, "card"))
        meet = crossing(core, card) if core and card else None
        if meet:
            t = dict(card).get(meet)
            if t is None:
                n0 = max(n for n, _ in card if n <= meet)
                n1 = min(n for n, _ in card if n >= meet)
                t = (dict(card)[n0] + dict(card)[n1]) / 2
            out.append(f'<circle cx="{x(meet):.1f}" cy="{y(t):.1f}" r="4" fill="{colour}"/>')
            out.append(
                f'<text x="{WIDTH - RIGHT + 42}" y="{label + 4}" fill="{colour}">'
                f"meet at {meet / 1024:.0f} KiB</text>"
            )
            label += 22
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "build/bench/bulk.json"
    target = sys.argv[2] if len(sys.argv) > 2 else "build/bench/crossover.svg"
    with open(source, encoding="utf-8") as f:
        text = svg(json.load(f))
    with open(target, "w", encoding="utf-8") as f:
        f.write(text)
    print(f"written to {target}")


if __name__ == "__main__":
    main()
