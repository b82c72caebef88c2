#!/usr/bin/env python3
"""usage: performance.py [check]

Makes the pages of docs/ and the pictures beside the readings from docs/performance/readings, and the rows of the
table of speed in README.md. With `check` it writes nothing; it prints the files that differ and exits with 1.

A page is docs/performance/NAME.md.in. In it

    {{FILE/KEY/KEY:2}}      is a figure of readings/*/FILE.json with 2 decimals. A key selects from an object by its
                            name, from a list of objects those that have the key among their values, and from a
                            list of numbers by its place. Of a list of numbers the figure is the median. Without
                            `:2`, two or three digits are shown.
    {{A over B}}            is a quotient; A and B are such figures or numbers.
    {{A?}}                  is "-" where there is no such reading.
    {{for X, Y: LINE}}      is LINE once for each word, which stands for @ in it.
"""
import difflib
import json
import pathlib
import re
import statistics
import sys

import mesh_report
import plot_bulk
import plot_cpu
import plot_documents
import plot_gpu
import plot_messages
import plot_tensors

ROOT = pathlib.Path(__file__).resolve().parents[3]
PERFORMANCE = ROOT / "docs" / "performance"
PROCESSORS = {"zen4": "AMD EPYC (Zen 4)", "zen5": "AMD EPYC (Zen 5)", "xeon": "Intel Xeon with AVX-512"}
READINGS = {path.stem: path for path in sorted((PERFORMANCE / "readings").glob("*/*.json"))}


def load(name):
    return json.loads(READINGS[name].read_text(encoding="utf-8"))


def select(value, key):
    """What `key` selects, or None."""
    if isinstance(value, dict):
        return value.get(key)
    if not isinstance(value, list):
        return None
    if value and not isinstance(value[0], dict):
        return value[int(key)]
    rows = [row for row in value if isinstance(row, dict) and key in map(str, row.values())]
    if rows:
        return rows
    return value[0].get(key) if len(value) == 1 else None


def call(name, algorithm, who, what):
    """A cell of `bench calls`, whose rows are lists in the order of "calls". OpenSSL's only for its own cipher."""
    data = load(name)
    row = select(data["results"], algorithm)
    return row[0][who][data["calls"].index(what)] if row and who in row[0] else None


def figure(words):
    """The number that an operand stands for, or None."""
    if re.fullmatch(r"[\d.]+", words):
        return float(words)
    name, *keys = words.split("/")
    value = load(name)
    if "calls" in value:
        return call(name, *keys)
    for key in keys:
        value = select(value, key)
    if isinstance(value, list):
        return statistics.median(value)
    return value


def shown(value, decimals):
    if decimals is None:
        decimals = 0 if value >= 99.95 else 1 if value >= 0.995 else 2
    return f"{value:.{decimals}f}"


def evaluate(match):
    words, optional, decimals = match[1], match[2], match[3]
    values = [figure(word) for word in words.split(" over ")]
    if None in values:
        if optional:
            return "-"
        sys.exit(f"there is no reading {words}")
    value = values[0] / values[1] if len(values) == 2 else values[0]
    return shown(value, int(decimals) if decimals else None)


def expand(text):
    def repeat(match):
        return "\n".join(match[2].replace("@", word) for word in match[1].split(", "))

    text = re.sub(r"^\{\{for ([^:]*): (.*)\}\}$", repeat, text, flags=re.M)
    return re.sub(r"\{\{([^{}]*?)(\?)?(?::(\d))?\}\}", evaluate, text)


def pages():
    for source in sorted(PERFORMANCE.glob("*.md.in")):
        text = f"<!-- Made by test/bench/report/performance.py of docs/performance/{source.name} and readings. -->\n"
        yield ROOT / "docs" / source.stem, text + expand(source.read_text(encoding="utf-8"))


def pictures():
    def beside(name, picture):
        return READINGS[name].parent / picture

    def messages(name):
        return plot_messages.draw(load(name), PROCESSORS[name.split("-")[1]])

    gpu = [load("gpu-h200"), load("gpu-older-h200")]
    yield beside("cpu-zen4", "cpu-zen4.svg"), plot_cpu.draw(load("cpu-zen4"), plot_cpu.TITLE)
    yield beside("gpu-h200", "gpu-h200.svg"), plot_gpu.draw(gpu)
    yield beside("gpu-h200", "gpu-documents-h200.svg"), plot_documents.draw(gpu)
    yield beside("bulk-h200", "crossover-h200.svg"), plot_bulk.svg(load("bulk-h200"))
    yield beside("mesh", "mesh.svg"), mesh_report.draw(load("mesh"))
    yield PERFORMANCE / "messages-zen5.svg", messages("calls-zen5-openssl36")
    for name in READINGS:
        if name.startswith("batch-"):
            yield PERFORMANCE / f"{name}.svg", messages(name)
    yield PERFORMANCE / "tensors.svg", plot_tensors.draw([load("tensors-h100"), load("tensors-xeon")])


def speed_row(cipher):
    """A row of README's table. CBC encryption: one message of 16 KiB with a new IV, MB/s."""
    def pair(ours, theirs, less_is_better):
        if theirs is None:
            return f"{shown(ours, decimals(ours))} | -"
        slower = 1.01 < (ours / theirs if less_is_better else theirs / ours)  # within 1 %: neither is
        text = shown(theirs, decimals(theirs))
        return f"{shown(ours, decimals(ours))} | {f'**{text}**' if slower else text}"

    def decimals(value):
        return 0 if value >= 40 else None

    def newest(mode, what):
        return [call("calls-zen5-openssl36", f"{cipher}-{mode}", who, what) for who in ("avx512-gfni", "OpenSSL")]

    core = f"cpu-zen5/results/{cipher}"
    ctr = pair(figure(f"{core}/avx512-gfni/gbps_1048576"), figure(f"{core}/OpenSSL/gbps_1048576"), False)
    key = pair(*newest("CTR", "new key and IV, 256 bytes"), True)
    cbc, theirs = newest("CBC", "new IV, 16384 bytes")
    if theirs is None:  # SEED: by updates of 256 bytes in the legacy provider
        theirs = figure(f"small-zen5/results/OpenSSL {cipher}-CBC/update_256")
        theirs = theirs and 16384 / 256 * theirs
    cbc = pair(16384e3 / cbc, theirs and 16384e3 / theirs, False)
    return f"| {cipher} | {ctr} | {figure(f'gpu-h200/ciphers/{cipher}/xor'):.0f} | {key} | {cbc} |"


def readme():
    """README.md with the rows of its table of speed as the readings have them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    head, section, rest = text.partition("## Who is faster at what\n")
    rows = re.compile(r"^\| ([A-Z][A-Z0-9-]+) \|.*$", re.M)
    table, end, rest = rest.partition("\n- Bold")
    if not section or not end or len(rows.findall(table)) < 5:
        sys.exit("README.md has no table of speed")
    return head + section + rows.sub(lambda row: speed_row(row[1]), table) + end + rest


def main():
    check = sys.argv[1:] == ["check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    made = [*pages(), *pictures(), (ROOT / "README.md", readme())]
    stale = [(path, text) for path, text in made
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        if check:
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            difference = list(difflib.unified_diff(before.splitlines(), text.splitlines(), n=0, lineterm=""))
            print(f"{path.relative_to(ROOT)} differs from the readings:", *difference[2:12], sep="\n")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"made {path.relative_to(ROOT)}")
    if check and stale:
        sys.exit("run test/bench/report/performance.py")
    print(f"{len(made)} files are as the readings have them")


if __name__ == "__main__":
    main()
