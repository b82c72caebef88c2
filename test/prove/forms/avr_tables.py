#!/usr/bin/env python3
"""The tables of the AVR code, as avr-gcc assembles them, are the formulas of the standards' models.

usage: avr_tables.py [TREE]
"""

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graph import Graph  # noqa: E402
from standards.korean import Hight, Lea  # noqa: E402
from standards.word import Word  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def f_table(function):
    return bytes(function(Word(Graph(), 8, x)).v for x in range(256))


def delta_rows(rounds, words):
    """LEA: delta[i mod words], turned left by i, little-endian."""
    out = b""
    for i in range(rounds):
        delta = Word(Graph(), 32, Lea.DELTA[i % words])
        out += delta.rotl(i).v.to_bytes(4, "little")
    return out


def tables():
    """Each table: its source, the end of its section's name, its symbol, its bytes."""
    f0, f1 = f_table(Hight.f0), f_table(Hight.f1)
    yield "hight/hight_tables.S", "hight_tables", "gpuctr_hight_f0", f0
    yield "hight/hight_tables.S", "hight_tables", "gpuctr_hight_f1", f1
    yield "hight/hight_tables.S", "f1_inverse", "gpuctr_hight_f1_inverse", bytes(f1.index(y) for y in range(256))
    for bits, rounds, words in ((128, 24, 4), (192, 28, 6), (256, 32, 8)):
        yield "lea/lea_schedule.S", f"lea{bits}_set_key", f"delta{bits}", delta_rows(rounds, words)


@cache
def assembled(source):
    """The object's sections and symbols."""
    with tempfile.TemporaryDirectory() as work:
        return parts_of(source, Path(work))


def parts_of(source, work):
    made = work / "made.o"
    subprocess.run(["avr-gcc", "-mmcu=atmega128", f"-I{source.parents[1]}", "-c", source, "-o", made], check=True)

    def said(*command):
        return subprocess.run([*command, made], check=True, capture_output=True, text=True).stdout

    names = [line.split()[1] for line in said("avr-objdump", "-h").splitlines() if line.strip()[:1].isdigit()]
    sections = {}
    for name in names:
        out = work / "section"
        flags = f"{name}=alloc,load,contents"
        subprocess.run(["avr-objcopy", "--set-section-flags", flags, "-O", "binary", "-j", name, made, out], check=True)
        sections[name] = out.read_bytes()
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in said("avr-nm", "--defined-only").splitlines()}
    return sections, symbols


def main(tree=ROOT):
    if shutil.which("avr-gcc") is None:
        print("the AVR code's tables: left out, there is no avr-gcc")
        return 0
    wrong, known = 0, list(tables())
    for file, end, symbol, wanted in known:
        sections, symbols = assembled(Path(tree) / "avr-ref/src" / file)
        (section,) = [data for name, data in sections.items() if name.endswith(end) and not name.startswith(".rela")]
        got = section[symbols[symbol] : symbols[symbol] + len(wanted)]
        if got != wanted:
            at = next(i for i in range(len(wanted)) if got[i : i + 1] != wanted[i : i + 1])
            print(f"{symbol}: byte {at} is {got[at : at + 1].hex()}, the standard's is {wanted[at]:02x}")
            wrong += 1
    print(f"the AVR code's tables: {wrong or 'none'} of {len(known)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
