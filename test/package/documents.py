"""usage: documents.py [FOLDER]

With FOLDER, the installed documentation: every link of its documents leads to an installed file. Without it: README.md
has at most 150 lines, and every link from one document of the tree to another leads to a file that is there and, behind
a #, to one of its headings. Every file of the sources that a document names in backquotes is there. Lines of listings
in the documents that are installed, and in avr-ref, have at most 80 columns.
"""

import fnmatch
import os
import pathlib
import re
import sys

INSTALLED = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
ROOT = INSTALLED or pathlib.Path(__file__).parents[2]
NOT_OURS = re.compile(r"build.*|\..*")


def documents():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not (folder == str(ROOT) and NOT_OURS.fullmatch(f))]
        yield from (pathlib.Path(folder) / name for name in names if name.endswith(".md"))


def anchors(document):
    """The headings' names as GitHub makes them."""
    for heading in re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def links_of(document):
    """What is wrong with each link to a file: empty if nothing is."""
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists():
            yield f"{document.relative_to(ROOT)}: there is no {target}"
        elif INSTALLED and not path.resolve().is_relative_to(ROOT):
            yield f"{document.relative_to(ROOT)}: {target} is not part of the installation"
        elif anchor and anchor not in anchors(path):
            yield f"{document.relative_to(ROOT)}: {name} has no heading #{anchor}"
        else:
            yield ""


def sources():
    """The paths of all files, with / before the first folder."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not (folder == str(ROOT) and NOT_OURS.fullmatch(f))]
        yield from ("/" + str((pathlib.Path(folder) / name).relative_to(ROOT)) for name in names)


def missing_files(document, files):
    """Files of the sources that the document names in backquotes, as `simd/aes.h`, and that are nowhere."""
    named = re.findall(r"`(?:\.\./)*(\w[\w./*-]*\.(?:h|c|cpp|cuh?|sv|py|sh|json|svg|md|cmake))`",
                       document.read_text(encoding="utf-8"))
    yield from (f"{document.relative_to(ROOT)}: there is no file {name}" for name in sorted(set(named))
                if not name.startswith("build/") and not fnmatch.filter(files, "*/" + name))


def long_lines(document):
    """Lines of listings that are wider than a terminal of 80 columns."""
    fenced = False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        shown = line if fenced else line[4:] if line.startswith("    ") else ""
        if len(shown) > 80:
            yield f"{document.relative_to(ROOT)}:{number}: a listing has {len(shown)} columns, at most 80"


found = [fault for document in sorted(documents()) for fault in links_of(document)]
wrong = [fault for fault in found if fault]
if INSTALLED:
    if not list(documents()):
        wrong.append(f"there are no documents in {INSTALLED}")
    sys.exit("\n".join(wrong) or 0)
readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
files = list(sources())
wrong += [fault for document in sorted(documents()) if document.name != "CHANGELOG.md"
          for fault in missing_files(document, files)]
for name in ("README.md", "SECURITY.md", "CHANGELOG.md", "provider/examples/README.md", "avr-ref/README.md"):
    wrong += long_lines(ROOT / name)
wrong += [f"{document.relative_to(ROOT)}: a merge was not finished" for document in sorted(documents())
          if re.search(r"^(<{7}|>{7}) ", document.read_text(encoding="utf-8"), re.M)]
if len(readme) > 150:
    wrong.append(f"README.md has {len(readme)} lines, at most 150")
if wrong or len(found) < 30:
    sys.exit("\n".join(wrong) or f"only {len(found)} links were found")
print(f"{len(found)} links lead somewhere; README.md has {len(readme)} lines")
