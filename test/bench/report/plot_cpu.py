#!/usr/bin/env python3
"""build/bench/cpu.json as a picture: python3 plot_cpu.py JSON SVG [TITLE]. Standard library only.

Of each cipher the best backend, counter mode of 1 MiB on one thread, beside what OpenSSL, libgcrypt,
Botan and Crypto++ reach in the same run. The axis is logarithmic: the rates are up to 100 times
apart."""
import json
import math
import sys
from xml.sax.saxutils import escape

RATE = "gbps_1048576"
PEERS = [
    ("OpenSSL", "OpenSSL 3.0", "#d9822b"),
    ("libgcrypt", "libgcrypt 1.10", "#7a9e3f"),
    ("Botan", "Botan 2.19", "#b3a369"),
    ("Crypto++", "Crypto++ 8.7", "#9a9a9a"),
]
OURS = "#1f6f8b"
TITLE = "Counter mode on one thread of the CPU"
FIRST = ("HIGHT", "LEA", "ARIA", "SEED", "CHAM", "CAMELLIA", "AES")
LEFT, TOP, WIDTH, BAR, GAP = 130, 84, 640, 14, 12


def family(cipher):
    """Where a cipher stands in the picture."""
    stem = cipher.split("-")[0]
    return (FIRST.index(stem) if stem in FIRST else len(FIRST), cipher)


def groups_of(results):
    """Of each cipher its bars: (label, colour, rate), ours first."""
    groups = []
    peers = {key for key, _, _ in PEERS}
    for cipher in sorted({row["cipher"] for row in results}, key=family):
        rows = {row["backend"]: row[RATE] for row in results if row["cipher"] == cipher}
        best = max((name for name in rows if name not in peers), key=lambda name: rows[name])
        bars = [(f"gpuctr, {best}", OURS, rows[best])]
        bars += [(label, colour, rows[key]) for key, label, colour in PEERS if key in rows]
        groups.append((cipher, bars))
    return groups


def draw(data, title):
    groups = groups_of(data["results"])
    rates = [rate for _, bars in groups for _, _, rate in bars]
    least = 10 ** math.floor(math.log10(min(rates)))
    most = max(rates) * 1.5
    span = math.log10(most / least)

    def at(rate):
        return LEFT + WIDTH * math.log10(rate / least) / span

    height = TOP + sum(BAR * len(bars) + GAP for _, bars in groups) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 40}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="26" font-size="16">{escape(title)}</text>',
        f'<text x="20" y="44" fill="#555">GB/s, 1 MiB in place, logarithmic; core clock '
        f'{data["clock_ghz"]:.2f} GHz; ours: the best backend of this CPU</text>',
    ]
    x = 20
    for label, colour in [("gpuctr", OURS)] + [(label, colour) for _, label, colour in PEERS]:
        out.append(f'<rect x="{x}" y="55" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{x + 17}" y="66">{escape(label)}</text>')
        x += 40 + 8 * len(label)
    tick = least
    while tick < most:
        for part in (1, 2, 5):
            if tick * part < most:
                place = at(tick * part)
                out.append(f'<line x1="{place:.1f}" y1="{TOP - 6}" x2="{place:.1f}" '
                           f'y2="{height - 34}" stroke="#ddd"/>')
                out.append(f'<text x="{place:.1f}" y="{height - 18}" text-anchor="middle">'
                           f'{tick * part:g}</text>')
        tick *= 10
    y = TOP
    for cipher, bars in groups:
        out.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(cipher)}</text>')
        for label, colour, rate in bars:
            out.append(f'<rect x="{LEFT}" y="{y}" width="{at(rate) - LEFT:.1f}" '
                       f'height="{BAR - 2}" fill="{colour}"><title>{escape(label)}</title></rect>')
            out.append(f'<text x="{at(rate) + 4:.1f}" y="{y + 10}" font-size="11">{rate:.3g}'
                       '</text>')
            y += BAR
        y += GAP
    out.append("</svg>")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        picture = draw(json.load(source), sys.argv[3] if len(sys.argv) > 3 else TITLE)
    with open(sys.argv[2], "w", encoding="utf-8") as target:
        target.write(picture)
