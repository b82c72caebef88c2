#!/usr/bin/env python3
"""The methods of the documents in build/bench/gpu.json as a picture, on a logarithmic scale:
python3 plot_documents.py JSON... SVG. Readings of one card, one after the other. Standard library
only."""
import json
import math
import sys
from xml.sax.saxutils import escape

LEFT, TOP, WIDTH, BAR = 330, 96, 620, 13
LEAST, MOST = 0.001, 2000.0
PUBLISHED, REBUILT = ("published, on the document's card", "#999"), ("rebuilt, kernel", "#d9822b")
REBUILT_COPIES = ("rebuilt, with copies", "#f2c185")
OURS, OURS_COPIES = ("ours, kernel", "#1f6f8b"), ("ours, with the same copies", "#63b0cd")
LEGEND = (PUBLISHED, REBUILT_COPIES, REBUILT, OURS_COPIES, OURS)


def bars(row):
    """What a row shows: text, colour, GB/s at its largest size; not what nobody measured."""
    size = max(row["sizes"], key=int)
    kernel, copies, our_kernel, our_copies = row["sizes"][size]
    values = (row["published"], copies, kernel, our_copies, our_kernel)
    return [(*shown, value) for shown, value in zip(LEGEND, values) if value > 0]


def at(value):
    return LEFT + WIDTH * math.log(value / LEAST) / math.log(MOST / LEAST)


def draw(readings):
    # Decryption by other round keys runs as encryption does.
    rows = [row for data in readings for row in data["documents"] if row["mode"] != "ECB dec."]
    height = TOP + sum(BAR * len(bars(row)) + 14 for row in rows) + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="26" font-size="16">Methods of the documents and ours, 512 MiB, GB/s: '
        f'{escape(readings[0]["card"])}</text>',
        '<text x="20" y="46" fill="#555">logarithmic scale; published figures are of a GTX 980 '
        '(shuffle), a GTX 860M (ARIA, with copies) and a GT 540M (DES)</text>',
    ]
    x = 20
    for label, colour in LEGEND:
        out.append(f'<rect x="{x}" y="62" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{x + 17}" y="73">{escape(label)}</text>')
        x += 36 + 6 * len(label)
    for tick in (0.001, 0.01, 0.1, 1, 10, 100, 1000):
        out.append(f'<line x1="{at(tick):.1f}" y1="{TOP}" x2="{at(tick):.1f}" y2="{height - 50}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{at(tick):.1f}" y="{height - 34}" text-anchor="middle">{tick}</text>')
    y = TOP + 8
    for row in rows:
        shown = bars(row)
        text = f'{row["cipher"]} {row["mode"]} {row["method"]}'
        out.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(shown) / 2 + 4:.1f}" '
                   f'text-anchor="end">{escape(text)}</text>')
        for _, colour, value in shown:
            out.append(f'<rect x="{LEFT}" y="{y}" width="{at(value) - LEFT:.1f}" '
                       f'height="{BAR - 2}" fill="{colour}"/>')
            digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4
            out.append(f'<text x="{at(value) + 4:.1f}" y="{y + 10}" font-size="11">'
                       f'{value:.{digits}f}</text>')
            y += BAR
        y += 14
    out.append("</svg>")
    return "\n".join(out) + "\n"


def read(path):
    with open(path, encoding="utf-8") as source:
        return json.load(source)


if __name__ == "__main__":
    picture = draw([read(path) for path in sys.argv[1:-1]])
    with open(sys.argv[-1], "w", encoding="utf-8") as target:
        target.write(picture)
