#!/usr/bin/env python3
"""build/bench/gpu.json as a picture: python3 plot_gpu.py JSON... SVG. Readings of one card, one after
the other. Standard library only."""
import json
import sys
from xml.sax.saxutils import escape

SERIES = [
    ("fill", "keystream", "#1f6f8b"),
    ("xor", "with data XOR", "#63b0cd"),
    ("paper_ctr", "the paper's method, CTR kernel", "#d9822b"),
    ("paper_ecb", "the paper's method, ECB kernel", "#f2c185"),
]
LEFT, TOP, WIDTH, GROUP, BAR = 130, 96, 700, 78, 15


def philox(readings):
    """What a reading has of it: in older ones it lies among the ceilings."""
    for data in readings:
        for row in data.get("generators", []):
            if row["name"] == "Philox4x32-10":
                return row["fill"]
        if data["ceilings"].get("philox", 0) > 0:
            return data["ceilings"]["philox"]
    return 0


def draw(readings):
    data = readings[0]
    rows = [row for reading in readings for row in reading["ciphers"]]
    most = max(max(row[key] for key, _, _ in SERIES) for row in rows)
    most = max(most, max(row["floor"] for row in rows)) * 1.08
    height = TOP + GROUP * len(rows) + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="26" font-size="16">Counter-mode keystream in device memory, GB/s: '
        f'{escape(data["card"])}</text>',
        f'<text x="20" y="46" fill="#555">driver {escape(data["driver"])}, CUDA '
        f'{escape(data["cuda"])}; medians; the mark is the floor of our formulation</text>',
    ]
    x = 20
    for _, label, colour in SERIES:
        out.append(f'<rect x="{x}" y="62" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{x + 17}" y="73">{label}</text>')
        x += 40 + 7 * len(label)

    def at(value):
        return LEFT + WIDTH * value / most

    step = 250 if most > 900 else 100
    for tick in range(0, int(most), step):
        out.append(f'<line x1="{at(tick):.1f}" y1="{TOP}" x2="{at(tick):.1f}" '
                   f'y2="{height - 50}" stroke="#ddd"/>')
        out.append(f'<text x="{at(tick):.1f}" y="{height - 34}" text-anchor="middle">{tick}</text>')
    for i, row in enumerate(rows):
        y = TOP + GROUP * i + 8
        out.append(f'<text x="{LEFT - 8}" y="{y + 2 * BAR + 4}" text-anchor="end">'
                   f'{escape(row["name"])}</text>')
        for k, (key, _, colour) in enumerate(SERIES):
            if row[key] == 0:  # not measured
                continue
            out.append(f'<rect x="{LEFT}" y="{y + BAR * k}" width="{at(row[key]) - LEFT:.1f}" '
                       f'height="{BAR - 2}" fill="{colour}"/>')
            out.append(f'<text x="{at(row[key]) + 4:.1f}" y="{y + BAR * k + 11}">{row[key]:.0f}'
                       '</text>')
        if row["floor"] == 0:
            continue
        mark = at(row["floor"])
        out.append(f'<line x1="{mark:.1f}" y1="{y - 3}" x2="{mark:.1f}" y2="{y + BAR}" '
                   'stroke="#b00020" stroke-width="2"/>')
    c = data["ceilings"]
    text = (f'this card\'s memory: write only {c["write"]:.0f}, copy with XOR {c["copy_xor"]:.0f}')
    if philox(readings) > 0:
        text += f'; cuRAND Philox4x32-10 {philox(readings):.0f}'
    out.append(f'<text x="20" y="{height - 12}" fill="#555">{text}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def read(path):
    with open(path, encoding="utf-8") as source:
        return json.load(source)


if __name__ == "__main__":
    picture = draw([read(path) for path in sys.argv[1:-1]])
    with open(sys.argv[-1], "w", encoding="utf-8") as target:
        target.write(picture)
