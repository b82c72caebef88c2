"""usage: chart.py SVG <RATES: bars for a terminal on standard output, the same as a picture in the file SVG.

RATES has lines of four fields with tabs between: gpuctr or OpenSSL, a cipher, bytes a second, the backend. The last
line printed compares with OpenSSL's rows in one sentence.
"""

import sys
from html import escape

WIDTH = 40  # characters of the longest bar
ROW, LEFT, BAR = 22, 170, 480  # pixels


def read(lines):
    rows = []
    for line in lines:
        whose, cipher, rate, backend = line.rstrip("\n").split("\t")
        if float(rate) <= 0:
            raise ValueError(f"{cipher} has a rate of {rate}")
        rows.append((whose, cipher, float(rate), backend))
    if not rows:
        raise ValueError("there is no rate to draw")
    return rows


def label(whose, cipher):
    return cipher if whose == "gpuctr" else f"{whose}'s {cipher}"


def number(rate):
    return f"{rate / 1e9:.2f}" if rate < 1e9 else f"{rate / 1e9:.1f}"


def bars(rows):
    most = max(rate for _, _, rate, _ in rows)
    for whose, cipher, rate, backend in rows:
        bar = "\u2588" * round(WIDTH * rate / most) or "\u258f"
        yield f"{label(whose, cipher):<20} {bar:<{WIDTH}} {number(rate):>5} GB/s  {backend}"


def svg(rows):
    most = max(rate for _, _, rate, _ in rows)
    height = 50 + ROW * len(rows)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height}" '
        'font-family="sans-serif" font-size="13">'
    )
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield '<text x="20" y="26" font-size="16">Counter mode, EVP on 1 MiB in memory, GB/s</text>'
    for i, (whose, cipher, rate, backend) in enumerate(rows):
        y = 42 + ROW * i
        length = BAR * rate / most
        colour = "#3b6ea5" if whose == "gpuctr" else "#999999"
        yield f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(label(whose, cipher))}</text>'
        yield f'<rect class="bar" x="{LEFT}" y="{y}" width="{length:.1f}" height="{ROW - 5}" fill="{colour}"/>'
        yield f'<text x="{LEFT + length + 6:.1f}" y="{y + 13}">{number(rate)} {escape(backend)}</text>'
    yield "</svg>"


def times(ratio):
    return f"{ratio:.0f} times" if ratio >= 10 else f"{ratio:.1f} times"


def sentence(rows):
    rate = {(whose, cipher): value for whose, cipher, value, _ in rows}
    own = max((r for r in rows if r[0] == "gpuctr"), key=lambda r: r[2])
    parts = []
    for cipher in ("ARIA-128", "AES-128"):
        if ("gpuctr", cipher) in rate and ("OpenSSL", cipher) in rate:
            ratio = rate["gpuctr", cipher] / rate["OpenSSL", cipher]
            parts.append(f"{cipher} ran at {times(ratio)} the rate of OpenSSL's own")
    if not parts:
        ratio = own[2] / rate["OpenSSL", "AES-128"]
        parts.append(f"{own[1]} ran at {times(ratio)} the rate of OpenSSL's AES-128")
    return "On this machine " + ", and ".join(parts) + "."


def main():
    rows = read(sys.stdin)
    with open(sys.argv[1], "w", encoding="utf-8") as picture:
        picture.write("\n".join(svg(rows)) + "\n")
    print("\n".join(bars(rows)))
    print(f"\n{sentence(rows)}")


if __name__ == "__main__":
    main()
