"""usage: architecture.py draw | check [ROOT]

The picture of the folders, architecture.svg beside this file: a box for each folder with sources, an arrow for each
direction in which one includes another. `draw` prints it; `check` reads the picture that is there, compares its boxes
with the tree and its arrows with the #include lines, and holds the arrows against the rule of CONTRIBUTING.md.
"""

import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parents[2]
PICTURE = ROOT / "test" / "package" / "architecture.svg"
SOURCES = {".h", ".c", ".cpp", ".cu", ".cuh", ".inc", ".S", ".sv", ".py"}

# Where a box lies (column, row) and what it says. A folder that is missing here has no picture yet.
BOXES = {
    "provider/*": (1.1, 0.0, "what OpenSSL loads; an instance"),
    "provider/examples": (3.3, 0.0, "C, CUDA, Python, clusters"),
    "provider/python": (2.2, 0.0, "the Python package"),
    "provider/self_test": (0.0, 1.3, "known answers at loading"),
    "provider/dispatch": (2.2, 1.3, "tables of algorithms"),
    "provider/config": (3.3, 1.3, "openssl.cnf"),
    "provider/rand": (0.0, 2.6, "EVP_RAND"),
    "provider/core": (1.1, 2.6, "libcrypto, errors, trace"),
    "provider/mode": (2.2, 2.6, "EVP contexts, each mode"),
    "provider/check": (3.3, 2.6, "gpuctr-check"),
    "drbg": (0.0, 4.1, "CTR_DRBG of SP 800-90A"),
    "avr-ref": (3.3, 4.1, "8-bit AVR, assembly"),
    "kernels/bulk": (1.1, 5.5, "the engine: who does what"),
    "kernels/cpu": (0.0, 6.8, "scalar, SSE, AVX, NEON"),
    "kernels/gpu": (2.2, 6.8, "the seam to CUDA, kernels"),
    "kernels/random": (3.3, 6.8, "numbers of a distribution"),
    "kernels/cipher": (0.5, 8.1, "each cipher, written once"),
    "kernels/mesh": (3.3, 8.1, "hardware, SystemVerilog"),
    "kernels/base": (0.0, 9.4, "counter, wiping, fork"),
}
WIDE = {"kernels/base": 652}  # pixels: below all that include it
# Arrows between these folders as a whole; what the tests and fuzzers include is not drawn.
GROUPS = ("provider", "drbg", "kernels", "avr-ref")
ALLOWED = {("provider", "drbg"), ("provider", "kernels"), ("drbg", "kernels")}
# Lowest first: a file includes those of its own row and of the rows above it. A row is a folder or a pattern of files;
# the longest counts.
LEVELS = (
    "kernels/base", "kernels/random", "kernels/cipher", "kernels/cpu/base", "kernels/cpu/simd", "kernels/cpu/x86",
    "kernels/cpu/arm", "kernels/cpu/scalar", "kernels/cpu", "kernels/cpu/many", "kernels/gpu", "kernels/gpu/cuda", "kernels/gpu/cuda/kernel",
    "kernels/gpu/cuda/kernel/wordwise", "kernels/gpu/cuda/kernel/bitsliced", "kernels/gpu/cuda/kernel/tables",
    "kernels/gpu/cuda/kernel/ghash", "kernels/cipher/*.cu", "kernels/bulk/base", "kernels/bulk/device",
    "kernels/bulk/job", "kernels/bulk/batch", "kernels/bulk", "drbg",
    "provider/core", "provider/mode/base", "provider/mode/keystream", "provider/mode/ctr", "provider/mode/block",
    "provider/mode/aead", "provider/config", "provider/rand", "provider/self_test", "provider/instance.*",
    "provider/dispatch", "provider",
)
COLUMN, ROW, WIDTH, HEIGHT = 210, 74, 190, 48


def files():
    for group in GROUPS:
        for path in sorted((ROOT / group).rglob("*")):
            name = path.relative_to(ROOT)
            if path.suffix in SOURCES and "test" not in name.parts and "__pycache__" not in name.parts:
                yield name


def box_of(name):
    group = name.parts[0]
    if group not in ("provider", "kernels"):
        return group
    return "/".join(name.parts[:2]) if len(name.parts) > 2 else f"{group}/*"


def level(name):
    """The row of LEVELS that a file stands in. A cipher's CUDA files stand above the kernels they are made from."""
    if name.parts[:2] == ("kernels", "cipher") and name.suffix in (".cu", ".cuh"):
        return LEVELS.index("kernels/cipher/*.cu")
    path = name.as_posix()
    rows = [i for i, row in enumerate(LEVELS) if path.startswith(row + "/") or fnmatch.fnmatch(path, row)]
    return max(rows, key=lambda i: len(LEVELS[i]), default=None)


def includes():
    """Each #include of one of our files in another: (file, included file)."""
    known = set(files())
    for name in known:
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for included in re.findall(r'^\s*#\s*include\s+[<"]([^">]+)[">]', text, re.M):
            target = pathlib.PurePath(included)
            if target in known:
                yield name, target


def edge(source, target):
    """The arrow of an include: within provider and kernels between their folders, else between the groups."""
    a, b = source.split("/")[0], target.split("/")[0]
    return (source, target) if a == b else (a, b)


def tree():
    arrows = {edge(box_of(name), box_of(target)) for name, target in includes()}
    return {box_of(name) for name in files()}, {a for a in arrows if a[0] != a[1]}


def frame(name):
    """x, y, width and height of a box, or of a group around its boxes."""
    if name not in GROUPS or name in ("drbg", "avr-ref"):
        column, row, _ = BOXES[name]
        return 30 + COLUMN * column, 56 + ROW * row, WIDE.get(name, WIDTH), HEIGHT
    inner = [frame(box) for box in BOXES if box.startswith(name + "/")]
    left, top = min(f[0] for f in inner) - 14, min(f[1] for f in inner) - 26
    return left, top, max(f[0] + f[2] for f in inner) + 14 - left, max(f[1] + f[3] for f in inner) + 12 - top


def ends(a, b):
    """From the border of one frame to that of the other, on the line between their middles."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    if bx <= ax and bx + bw >= ax + aw:  # straight down to a wide one
        bx, bw = ax, aw
    dx, dy = bx + bw / 2 - ax - aw / 2, by + bh / 2 - ay - ah / 2

    def border(w, h):
        return min(w / 2 / abs(dx) if dx else 9, h / 2 / abs(dy) if dy else 9)

    s, t = border(aw, ah), border(bw, bh)
    return ax + aw / 2 + s * dx, ay + ah / 2 + s * dy, bx + bw / 2 - t * dx, by + bh / 2 - t * dy


def draw():
    boxes, arrows = tree()
    if boxes - BOXES.keys():
        sys.exit(f"architecture.py has no place for {', '.join(sorted(boxes - BOXES.keys()))}")
    yield '<svg xmlns="http://www.w3.org/2000/svg" width="930" height="830" font-family="sans-serif" font-size="12">'
    yield '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto-start-reverse">'
    yield '<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>'
    yield '<rect width="100%" height="100%" fill="white"/>'
    for group in ("provider", "kernels"):
        x, y, w, h = frame(group)
        yield f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="#f4f6f8" stroke="#aaa" rx="6"/>'
        yield f'<text x="{x + w - 10}" y="{y + 17}" text-anchor="end" fill="#555">{group}/</text>'
    for a, b in sorted(arrows):
        if (b, a) in arrows and a > b:
            continue
        from_frame, to_frame = frame(a), frame(b)
        if b == "drbg":  # from above it
            from_frame = (to_frame[0], from_frame[1], to_frame[2], from_frame[3])
        if a == "drbg":
            to_frame = (from_frame[0], to_frame[1], from_frame[2], to_frame[3])
        x1, y1, x2, y2 = ends(from_frame, to_frame)
        both = ' marker-start="url(#tip)"' if (b, a) in arrows else ""
        yield f'<line data-from="{a}" data-to="{b}" x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" ' \
              f'stroke="#555" marker-end="url(#tip)"{both}/>'
    for box in sorted(boxes):
        x, y, w, h = frame(box)
        yield f'<rect data-folder="{box}" x="{x}" y="{y}" width="{w}" height="{h}" fill="white" stroke="#3b6ea5" rx="4"/>'
        yield f'<text x="{x + 10}" y="{y + 20}" font-weight="bold">{box}</text>'
        yield f'<text x="{x + 10}" y="{y + 37}" fill="#333">{BOXES[box][2]}</text>'
    yield "</svg>"


def check():
    boxes, arrows = tree()
    shown_boxes, shown_arrows = set(), set()
    for element in xml.parse(PICTURE).iter():
        if "data-folder" in element.attrib:
            shown_boxes.add(element.get("data-folder"))
        if "data-from" in element.attrib:
            shown_arrows.add((element.get("data-from"), element.get("data-to")))
            if element.get("marker-start"):
                shown_arrows.add((element.get("data-to"), element.get("data-from")))
    wrong = [f"{a} includes {b}: arrows go provider, drbg, kernels" for a, b in arrows
             if a in GROUPS and b in GROUPS and (a, b) not in ALLOWED]
    wrong += [f"{name} includes {target}, which stands above it" for name, target in includes()
              if None not in (level(name), level(target)) and level(target) > level(name)]
    wrong += [f"the picture has no box {box}" for box in boxes - shown_boxes]
    wrong += [f"the picture has a box {box} that is no folder" for box in shown_boxes - boxes]
    wrong += [f"the picture has no arrow from {a} to {b}" for a, b in arrows - shown_arrows]
    wrong += [f"the picture has an arrow from {a} to {b} that no #include makes" for a, b in shown_arrows - arrows]
    if wrong:
        sys.exit("\n".join(sorted(wrong)) + "\npython3 test/package/architecture.py draw >test/package/architecture.svg")
    print(f"{len(boxes)} boxes and {len(arrows)} arrows are those of the tree")


if __name__ == "__main__":
    if sys.argv[1:2] == ["draw"]:
        print("\n".join(draw()))
    else:
        check()
