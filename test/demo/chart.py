"""usage: chart.py SVG <RATES: a table for a terminal on standard output, its bars as a picture in the file SVG.

RATES has lines of four fields with tabs between: gpuctr or OpenSSL, a cipher, bytes a second, the backend. Each cipher
of gpuctr is a row, sorted by name. It is compared with OpenSSL's cipher of that name, else with OpenSSL's AES-128.
"""

import re
import sys
from html import escape

WIDTH = 30  # characters of the longest bar
ROW, LEFT, BAR = 22, 150, 460  # pixels
REFERENCE = "AES-128"


def read(lines):
    rates = {"gpuctr": {}, "OpenSSL": {}}
    backends = {}
    for line in lines:
        whose, cipher, rate, backend = line.rstrip("\n").split("\t")
        if float(rate) <= 0:
            raise ValueError(f"{cipher} has a rate of {rate}")
        rates[whose][cipher] = float(rate)
        if whose == "gpuctr":
            backends[cipher] = backend
    if not backends:
        raise ValueError("there is no rate to draw")
    return rates["gpuctr"], rates["OpenSSL"], backends


def by_family(cipher):
    """AES-128 before AES-256 before ARIA-128: words by letter, numbers by value."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"-|(?<=\D)(?=\d)", cipher)]


def number(rate):
    return f"{rate / 1e9:.2f}" if rate < 1e9 else f"{rate / 1e9:.1f}"


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def rows(own, stock):
    """Cipher, rate, ratio, and whether the ratio is that to the reference in place of the same cipher."""
    for cipher in sorted(own, key=by_family):
        other = cipher if cipher in stock else REFERENCE
        yield cipher, own[cipher], times(own[cipher] / stock[other]), other != cipher


def table(own, stock, backends):
    most = max(own.values())
    yield f"{'cipher':<14} {'GB/s':>5} {'':<{WIDTH}} {'x OpenSSL':>9}  backend"
    for cipher, rate, ratio, by_reference in rows(own, stock):
        bar = "\u2588" * round(WIDTH * rate / most) or "\u258f"
        mark = "*" if by_reference else " "
        yield f"{cipher:<14} {number(rate):>5} {bar:<{WIDTH}} {ratio:>8}{mark}  {backends[cipher]}"
    yield ""
    yield f"x OpenSSL: the rate divided by that of OpenSSL's own cipher. *: OpenSSL has no such cipher in counter mode;"
    yield f"the rate is divided by that of its {REFERENCE}, {number(stock[REFERENCE])} GB/s."


def svg(own, stock, backends):
    most = max(own.values())
    height = 50 + ROW * len(own)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height}" '
        'font-family="sans-serif" font-size="13">'
    )
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield '<text x="20" y="26" font-size="16">Counter mode, EVP on 1 MiB in memory, GB/s</text>'
    for i, (cipher, rate, ratio, by_reference) in enumerate(rows(own, stock)):
        y = 42 + ROW * i
        length = BAR * rate / most
        said = f"{number(rate)}, {ratio} x OpenSSL's {REFERENCE if by_reference else 'own'}, {backends[cipher]}"
        yield f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(cipher)}</text>'
        yield f'<rect class="bar" x="{LEFT}" y="{y}" width="{length:.1f}" height="{ROW - 5}" fill="#3b6ea5"/>'
        yield f'<text x="{LEFT + length + 6:.1f}" y="{y + 13}">{escape(said)}</text>'
    yield "</svg>"


def main():
    own, stock, backends = read(sys.stdin)
    with open(sys.argv[1], "w", encoding="utf-8") as picture:
        picture.write("\n".join(svg(own, stock, backends)) + "\n")
    print("\n".join(table(own, stock, backends)))


if __name__ == "__main__":
    main()
