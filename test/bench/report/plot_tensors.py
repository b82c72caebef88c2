"""Draws the JSON files of `tensors.py --json`, each a row of the picture: GB/s by size, torch's generator and ours."""

import chart

LINES = {0: "torch", 1: "LEA-128-STREAM", 2: "LEA-256-STREAM", 3: "AES-128-STREAM", 4: "AES-256-STREAM"}
PANELS = (("normal", "float32"), ("uniform", "float32"), ("integers", "int64"), ("bytes", "uint8"))


def panel(rows, what, dtype):
    found = [row for row in rows if (row["what"], row["type"]) == (what, dtype)]
    lines = [(line, {row["bytes"]: row[name] for row in found}) for line, name in LINES.items()]
    return f"{what}, {dtype}", lines


def draw(readings):
    versions = sorted({data["torch"].partition("+")[0] for data in readings})
    rows = [chart.Row([panel(data["rows"], *which) for which in PANELS], data["unit"], data["device"], ends=True)
            for data in readings]
    return chart.draw(f"Random tensors by size, GB/s: torch {', '.join(versions)} and gpuctr", LINES,
                      "tensor size", rows)
