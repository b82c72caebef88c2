"""usage: includes.py SOURCES BUILD

Counts what the unit of one cipher on one backend includes: our headers and their lines, by the compiler's -MM with the
unit's own options. A unit has one engine, and fails where it includes more than the engine's bound, or two engines.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

CPU = "kernels/cpu/"
# The engines and what is added to one, by the header that only they include, and the most headers and lines of a unit.
# The first row that fits counts.
ENGINES = {
    "RC2, whose rounds read the whole key": ("kernels/cipher/rc2/pi_table.h", 17, 2800),
    "scalar, boxes": ("scalar/boxes.h", 16, 2400),
    "scalar, tables": ("scalar/tables.h", 9, 1350),
    "scalar, wordwise": ("scalar/wordwise.h", 10, 1200),
    "aes": ("simd/aes_modes.h", 25, 4600),
    "boxes": ("simd/boxes.h", 27, 4850),
    "bit-sliced": ("simd/des_few.h", 15, 2200),
    "tables": ("x86/vbmi_tables.h", 13, 1850),
    "wordwise, steps beside a batch": ("simd/drbg_batch.h", 17, 2800),
    "wordwise, long blocks": ("simd/long_blocks.h", 16, 2700),
    "wordwise, rotation sums": ("simd/rotation_sums.h", 16, 2600),
    "wordwise, products": ("simd/products.h", 16, 2500),
    "wordwise": ("simd/wordwise.h", 15, 2500),
}
# A unit sees one of these. The engine for S-boxes and AES's are made of the wordwise one.
ALONE = {"simd/aes_modes.h", "simd/boxes.h", "simd/des_few.h", "x86/vbmi_tables.h", "scalar/boxes.h", "scalar/tables.h",
         "scalar/wordwise.h"}


def headers_of(entry, sources):
    """The headers of the project that a unit includes, folders of the build among them."""
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    words[words.index("-o"):words.index("-o") + 2] = []
    words.remove("-c")
    done = subprocess.run([*words, "-MM"], cwd=entry["directory"], stdout=subprocess.PIPE, text=True, check=True)
    paths = [pathlib.Path(entry["directory"], word).resolve() for word in done.stdout.replace("\\\n", " ").split()[2:]]
    return [path for path in paths if path.is_relative_to(sources)]


def wrong_of(name, headers, sources):
    """What is wrong with a unit, and its engine."""
    names = {os.path.relpath(path, sources).removeprefix(CPU) for path in headers}
    engine = next((engine for engine, (mark, _, _) in ENGINES.items() if mark in names), None)
    if engine is None:
        return f"{name} includes no engine of {', '.join(ENGINES)}", None
    _, most_headers, most_lines = ENGINES[engine]
    engines = sorted(ALONE & names)
    if len(engines) > 1:
        return f"{name} ({engine}) includes {', '.join(engines)}", engine
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in headers)
    if len(headers) > most_headers or lines > most_lines:
        return f"{name} ({engine}) includes {len(headers)} headers with {lines} lines, more than {most_headers} with " \
               f"{most_lines}", engine
    return None, engine


def main():
    sources, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    units = [entry for entry in json.loads((build / "compile_commands.json").read_text())
             if re.search(rf"/generated/{CPU}(?!\w+_(?:ghash|gcm|siv|xts)\.)\w+\.cpp$", entry["file"])]
    if not units:
        sys.exit("compile_commands.json has no unit of a CPU backend")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda entry: headers_of(entry, sources), units))
    results = [wrong_of(pathlib.Path(entry["file"]).name, headers, sources) for entry, headers in zip(units, found)]
    wrong = [said for said, _ in results if said]
    if wrong:
        sys.exit("\n".join(wrong))
    seen = {engine: sum(one == engine for _, one in results) for engine in ENGINES}
    print("units within their bounds: " + ", ".join(f"{count} of {engine}" for engine, count in seen.items()))


if __name__ == "__main__":
    main()
