#!/usr/bin/env python3
"""What `./run bench mesh` measured, as a table, JSON and a picture:
python3 mesh_report.py FOLDER JSON SVG."""
import json
import math
import pathlib
import sys

# Table I of the document: software DES on four MIPS cores, clocks, as printed.
PAPER = {2: 800, 4: 800, 8: 800, 16: 1200, 32: 1500, 64: 2000, 128: 5000, 256: 8000, 512: 10000}
CIPHERS = {
    "des": "DES, a round a clock",
    "des_pipelined": "DES, pipelined",
    "lea128": "LEA-128",
    "hight": "HIGHT",
}
COLOURS = {"des": "#1f6f8b", "des_pipelined": "#d9822b", "lea128": "#4c9f50", "hight": "#8e5ea2"}
DASHES = {"2x2-1": "", "2x2-2": "6 3", "4x4-4": "2 3"}
PARTS = ["router", "element", "1x1", "2x2", "4x4", "8x8"]


def read_clocks(folder):
    for cipher in CIPHERS:
        for file in sorted(folder.glob(f"clocks-{cipher}-[0-9]*")):
            mesh, ports = file.name[len(f"clocks-{cipher}-"):].split("-")
            row = {"element": cipher, "mesh": mesh, "ports": int(ports)}
            row.update(keystream={}, data={})
            for line in file.read_text(encoding="utf-8").splitlines():
                blocks, form, clocks = map(int, line.split())
                row["data" if form else "keystream"][blocks] = clocks
            yield row


def read_designs(folder):
    def place(file):
        part, _, cipher = file.name[len("area-"):].partition("_")
        return PARTS.index(part), list(CIPHERS).index(cipher) if cipher else 0

    for file in sorted(folder.glob("area-*"), key=place):
        name = file.name[len("area-"):]
        lut, ff, ram = map(int, file.read_text(encoding="utf-8").split())
        mhz = folder / f"ecp5-{name}"
        mhz = mhz.read_text(encoding="utf-8") if mhz.exists() else ""
        yield {
            "design": name,
            "virtex6_lut": lut,
            "virtex6_ff": ff,
            "virtex6_lut_ram": ram,
            "ecp5_mhz": list(map(float, mhz.split())),  # by seed, from 1
        }


def read(folder):
    return {
        "tools": (folder / "tools").read_text(encoding="utf-8").splitlines(),
        "paper_table_1": PAPER,
        "clocks": list(read_clocks(folder)),
        "designs": list(read_designs(folder)),
    }


def table(data):
    counts = sorted(data["clocks"][0]["keystream"])
    print("Clocks from the job's first flit to the results' last; with data in brackets where that")
    print("differs.")
    print(f"{'blocks':40}" + "".join(f"{n:>13}" for n in counts))
    paper = "the document, Table I (software, MIPS)"
    print(f"{paper:40}" + "".join(f"{PAPER.get(n, '-'):>13}" for n in counts))
    for row in data["clocks"]:
        cells = []
        for n in counts:
            key, xor = row["keystream"][n], row["data"][n]
            cells.append(f"{key:>13}" if key == xor else f"{f'{key} ({xor})':>13}")
        name = f"{CIPHERS[row['element']]}, {row['mesh']}, {row['ports']} port"
        print(f"{name + 's' * (row['ports'] > 1):40}" + "".join(cells))
    print("\nTable I is software on processors and this is hardware: no ratio of the two is a")
    print("speed-up. Its 10000 clocks for 512 blocks are 78 a block a core.\n")
    print(f"{'design':24}{'Virtex-6 LUT':>14}{'FF':>8}{'LUT-RAM':>9}{'ECP5, MHz':>20}")
    for row in data["designs"]:
        mhz = " ".join(f"{value:.1f}" for value in row["ecp5_mhz"]) or "-"
        area = f"{row['virtex6_lut']:>14}{row['virtex6_ff']:>8}{row['virtex6_lut_ram']:>9}"
        print(f"{row['design']:24}{area}{mhz:>20}")


def draw(data):
    left, top, width, height = 80, 60, 620, 420

    def x(n):
        return left + width * (math.log2(n) - 1) / 9

    def y(clocks):
        return top + height * (1 - (math.log10(clocks) - 1.2) / 3.2)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 250}" '
        f'height="{top + height + 60}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="20" y="28" font-size="16">Counter mode on a mesh: clocks against blocks, '
        "keystream out</text>",
    ]
    for n in (2**k for k in range(1, 11)):
        out.append(f'<text x="{x(n):.1f}" y="{top + height + 20}" text-anchor="middle">{n}</text>')
    for clocks in (20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000):
        at = y(clocks)
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}" '
                   'stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{clocks}</text>')
    series = [("Table I: software on MIPS", PAPER, "#888", "")]
    for row in data["clocks"]:
        kind = f"{row['mesh']}-{row['ports']}"
        if kind in DASHES and (kind == "2x2-1" or row["element"].startswith("des")):
            name = f"{CIPHERS[row['element']]}, {row['mesh']}, {row['ports']} port(s)"
            series.append((name, row["keystream"], COLOURS[row["element"]], DASHES[kind]))
    for i, (name, points, colour, dash) in enumerate(series):
        line = " ".join(f"{x(n):.1f},{y(c):.1f}" for n, c in sorted((int(n), c) for n, c in points.items()))
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" fill="none"'
        out.append(f'<polyline points="{line}" {style}/>')
        at, from_x = top + 14 + 20 * i, left + width + 12
        out.append(f'<line x1="{from_x}" x2="{from_x + 28}" y1="{at}" y2="{at}" {style}/>')
        out.append(f'<text x="{from_x + 34}" y="{at + 4}">{name}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    measured = read(pathlib.Path(sys.argv[1]))
    table(measured)
    pathlib.Path(sys.argv[2]).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    pathlib.Path(sys.argv[3]).write_text(draw(measured), encoding="utf-8")
