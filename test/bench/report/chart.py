"""Lines on logarithmic scales as SVG: rows of panels, the same lines in each. Dark where the reader's screen is dark.
Standard library only."""
import math
from xml.sax.saxutils import escape

# Colour of a line and its figures: on white, on black, dashes.
STYLES = (("#57606a", "#b1bac4", ""), ("#0969da", "#58a6ff", ""), ("#0969da", "#58a6ff", "4 3"),
          ("#b54400", "#f0883e", ""), ("#b54400", "#f0883e", "4 3"))
LEFT, RIGHT, TOP, GAP, BELOW = 62, 10, 50, 14, 30
LINE = 11.5  # from one figure to the next below it


def size_name(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def figure(value):
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.0995 else 3}f}"


def steps(least, most):
    """1, 2 and 5 times powers of ten, from the last one below all values to the first above them."""
    all_steps = [digit * 10.0**power for power in range(-4, 8) for digit in (1, 2, 5)]
    low = max(step for step in all_steps if step <= least)
    high = min(step for step in all_steps if step >= most)
    return [step for step in all_steps if low <= step <= high]


def spread(ys, lowest):
    """The heights of figures for points at ys, moved so that none covers another or is below `lowest`."""
    order = sorted(range(len(ys)), key=lambda i: ys[i])
    placed = [ys[i] for i in order]
    for _ in range(100):
        for i in range(1, len(placed)):
            lack = LINE - (placed[i] - placed[i - 1])
            if lack > 0:
                placed[i - 1] -= lack / 2
                placed[i] += lack / 2
        placed[-1:] = [min(place, lowest) for place in placed[-1:]]
    return [placed[order.index(i)] for i in range(len(ys))]


class Row:
    """Panels with common scales. A panel is a title and [(line, {size: value})]. Figures stand around all points, or,
    with `ends`, beside the first and the last ones."""

    def __init__(self, panels, unit, title, height=170, ends=False):
        self.panels, self.unit, self.title, self.height, self.ends = panels, unit, title, height, ends
        self.sizes = sorted({size for _, lines in panels for _, points in lines for size in points})
        values = [value for _, lines in panels for _, points in lines for value in points.values()]
        space = 1.2 if ends else 1.6  # for figures above and below
        self.ticks = steps(min(values) / space, max(values) * space)
        self.above = 38 if title else 24

    def draw(self, top, width, columns):
        each = (width - LEFT - RIGHT - GAP * (columns - 1)) / columns
        top += self.above
        out = [f'<text x="16" y="{top - 23}" class="b">{escape(self.title)}</text>',
               f'<text transform="translate(15 {top + self.height / 2:.0f}) rotate(-90)" text-anchor="middle">'
               f"{escape(self.unit)}</text>"]
        for i, (title, lines) in enumerate(self.panels):
            out += self.panel(LEFT + i * (each + GAP), top, each, title, lines, i == 0)
        return out

    def panel(self, left, top, width, title, lines, first):
        inset = 34 if self.ends else 18
        wide = math.log(self.sizes[-1] / self.sizes[0])
        tall = math.log(self.ticks[-1] / self.ticks[0])

        def x(size):
            return left + inset + (width - 2 * inset) * math.log(size / self.sizes[0]) / wide

        def y(value):
            return top + self.height * math.log(self.ticks[-1] / value) / tall

        out = [f'<text x="{left:.0f}" y="{top - 7}">{escape(title)}</text>']
        decades = tall > math.log(150)
        for tick in self.ticks:
            if decades and f"{tick:e}"[0] != "1":
                continue
            out.append(f'<path class="g" d="M{left:.0f} {y(tick):.1f}h{width:.0f}"/>')
            if first:
                out.append(f'<text x="{left - 6:.0f}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for size in self.sizes:
            out.append(f'<path class="g" d="M{x(size):.1f} {top}v{self.height}"/>'
                       f'<text x="{x(size):.1f}" y="{top + self.height + 15}" text-anchor="middle" class="s">'
                       f"{size_name(size)}</text>")
        for line, points in lines:
            path = "L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in sorted(points.items()))
            out.append(f'<path class="l{line}" d="M{path}"/>')
            out += [f'<circle class="c{line}" cx="{x(size):.1f}" cy="{y(value):.1f}" r="2.5"/>'
                    for size, value in sorted(points.items())]
        for size in (self.sizes[0], self.sizes[-1]) if self.ends else self.sizes:
            out += self.figures(x(size), y, size, lines, top + self.height - 3)
        return out

    def figures(self, at, y, size, lines, lowest):
        found = [(line, points[size]) for line, points in lines if size in points]
        if self.ends:
            side, anchor = (-6, "end") if size == self.sizes[0] else (6, "start")
            places = [(side, y(value) + 4) for _, value in found]
        else:  # the highest figure above its point, the others below theirs
            anchor, best = "middle", max((value for _, value in found), default=0)
            places = [(7, y(value) - 6) if value == best else (-7, y(value) + 14) for _, value in found]
        heights = spread([height for _, height in places], lowest)
        return [f'<text x="{at + side:.1f}" y="{height:.1f}" text-anchor="{anchor}" class="n f{line}">'
                f"{figure(value)}</text>" for (line, value), (side, _), height in zip(found, places, heights)]


def draw(title, legend, across, rows, width=880):
    """`legend` names the lines by their places in STYLES, `across` the sizes. All rows have panels of one width."""
    columns = max(len(row.panels) for row in rows)
    height = TOP + sum(row.above + row.height + BELOW for row in rows) + 14
    light = "".join(f".l{i}{{stroke:{on_white};stroke-dasharray:{dash or 'none'}}}.c{i},.f{i}{{fill:{on_white}}}"
                    for i, (on_white, _, dash) in enumerate(STYLES) if i in legend)
    dark = "".join(f".l{i}{{stroke:{on_black}}}.c{i},.f{i}{{fill:{on_black}}}"
                   for i, (_, on_black, _) in enumerate(STYLES) if i in legend)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12">',
           f"<title>{escape(title)}</title>",
           "<style>.w{fill:#fff}text{fill:#1f2328}.b{font-weight:bold}.n{font-size:11px}.s{font-size:10px}path{fill:none;stroke-width:1.8}"
           f".g{{stroke:#d8dee4;stroke-width:1}}{light}@media(prefers-color-scheme:dark){{.w{{fill:#0d1117}}"
           f"text{{fill:#e6edf3}}.g{{stroke:#30363d}}{dark}}}</style>",
           f'<rect class="w" width="{width}" height="{height}"/>',
           f'<text x="16" y="22" font-size="15">{escape(title)}</text>']
    at = 16
    for line, name in legend.items():
        out.append(f'<path class="l{line}" d="M{at} 38h24"/><circle class="c{line}" cx="{at + 12}" cy="38" r="2.5"/>'
                   f'<text x="{at + 30}" y="42">{escape(name)}</text>')
        at += 52 + 7 * len(name)
    top = TOP
    for row in rows:
        out += row.draw(top, width, columns)
        top += row.above + row.height + BELOW
    out.append(f'<text x="{(LEFT + width) / 2:.0f}" y="{height - 12}" text-anchor="middle">{escape(across)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
