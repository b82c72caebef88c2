#!/usr/bin/env python3
"""Converts files of C2SP/wycheproof (testvectors_v1/*.json) to the compact text of this folder.

    convert.py COMMIT FILE.json...

writes FILE.txt beside this script for each file. COMMIT is the commit that the files are of. README.md describes the
text.
"""

import json
import pathlib
import sys

# The fields of a test of each type, in the order of the columns. A field that a file lacks is left out.
COLUMNS = {
    "AeadTest": ("key", "iv", "aad", "msg", "ct", "tag"),
    "IndCpaTest": ("key", "iv", "msg", "ct"),
    "KeywrapTest": ("key", "msg", "ct"),
    "MacTest": ("key", "msg", "tag"),
    "MacWithIvTest": ("key", "iv", "msg", "tag"),
}


def lines(document, name, commit):
    kinds = {group["type"] for group in document["testGroups"]}
    if len(kinds) != 1:
        raise SystemExit(f"{name}: types {kinds}")
    kind = kinds.pop()
    columns = COLUMNS[kind]
    yield f"# {name} of C2SP/wycheproof at {commit}"
    yield f"{kind} {document['algorithm']}"
    yield "id result " + " ".join(columns)
    above = {}
    tests = 0
    for group in document["testGroups"]:
        for test in group["tests"]:
            fields = [str(test["tcId"]), test["result"]]
            for column in columns:
                value = test[column] or "-"
                fields.append("=" if above.get(column) == value and value != "-" else value)
                above[column] = value
            yield " ".join(fields)
            tests += 1
    if tests != document["numberOfTests"]:
        raise SystemExit(f"{name}: {tests} tests, not {document['numberOfTests']}")


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    for path in map(pathlib.Path, sys.argv[2:]):
        text = "\n".join(lines(json.loads(path.read_text()), path.name, sys.argv[1])) + "\n"
        stem = path.name.replace("_test.json", "")
        (pathlib.Path(__file__).parent / (stem + ".txt")).write_text(text)


main()
