"""usage: documents.py

README.md has at most 150 lines, and every link from one document of the tree to another leads to a file that is there
and, behind a #, to one of its headings. The table of speed in README.md has the figures of test/bench/*.json.
"""

import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
NOT_OURS = re.compile(r"build.*|\..*")


def documents():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not (folder == str(ROOT) and NOT_OURS.fullmatch(f))]
        yield from (pathlib.Path(folder) / name for name in names if name.endswith(".md"))


def anchors(document):
    """The headings' names as GitHub makes them."""
    for heading in re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def short(value):
    return f"{value:.2f}" if value < 1 else f"{value:.1f}"


def speed_rows():
    """README's table of speed, from the files: one core's best backend on two processors, OpenSSL's beside it, data XOR
    on the card."""
    bench = ROOT / "test" / "bench"
    cores = []
    for file in ("cpu-zen5.json", "cpu-zen4.json"):
        results = json.loads((bench / file).read_text())["results"]
        cores.append({(r["cipher"], r["backend"]): r["gbps_1048576"] for r in results})
    card = {r["name"]: r["xor"] for r in json.loads((bench / "gpu-h200.json").read_text())["ciphers"]}
    for name in ("LEA-128", "LEA-256", "HIGHT", "CHAM-64-128", "CHAM-128-128", "ARIA-128", "ARIA-256", "SEED",
                 "CAMELLIA-128", "AES-128", "AES-256"):
        cells = []
        for core in cores:
            ours, theirs = core[name, "avx512-gfni"], core.get((name, "OpenSSL"))
            ratio = "has none" if theirs is None else f"{ours / theirs:.{0 if ours / theirs >= 10 else 1}f}"
            cells += [short(ours), f"{ours / core['AES-128', 'OpenSSL']:.2f}", ratio]
        yield f"| {name} | {' | '.join(cells)} | {card[name]:.0f} |"
    for name in ("AES-128", "ARIA-128"):
        cells = []
        for core in cores:
            theirs = core[name, "OpenSSL"]
            cells += [short(theirs), f"{theirs / core['AES-128', 'OpenSSL']:.2f}", "1.0"]
        yield f"| OpenSSL's {name} | {' | '.join(cells)} | |"


wrong, links = [], 0
readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
wrong += [f"README.md's table of speed has no row {row}" for row in speed_rows() if row not in readme]
for document in sorted(documents()):
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        links += 1
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists():
            wrong.append(f"{document.relative_to(ROOT)}: there is no {target}")
        elif anchor and anchor not in anchors(path):
            wrong.append(f"{document.relative_to(ROOT)}: {name} has no heading #{anchor}")
lines = len(readme)
if lines > 150:
    wrong.append(f"README.md has {lines} lines, at most 150")
if wrong or links < 30:
    sys.exit("\n".join(wrong) or f"only {links} links were found")
print(f"{links} links lead somewhere; README.md has {lines} lines")
