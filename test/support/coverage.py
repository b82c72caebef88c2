"""usage: coverage.py BUILD_DIR

After the tests of a build with GCC's counters: the lines and branches that they reached, as report/index.html and
report/files.txt in that folder and as a summary. It fails if they reached less than LEAST per cent of all lines, or of
the lines of a file that has no reason in EXPLAINED and misses more than FEW.
"""

import fnmatch
import json
import pathlib
import subprocess
import sys

LEAST = 95.0
FEW = 5
EXPLAINED = {
    "provider/check/*": "gpuctr-check is a program, which cli.check runs, and that is no fast test",
}

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
REPORT = BUILD / "report"


def measure():
    REPORT.mkdir(exist_ok=True)
    folders = [word for folder in ("provider", "drbg", "kernels") for word in ("--filter", f"{folder}/")]
    subprocess.run(["gcovr", "--root", ROOT, "--object-directory", BUILD, *folders, "-j", "2",
                    "--exclude-throw-branches", "--exclude-unreachable-branches", "--html-details", REPORT / "index.html",
                    "--txt", REPORT / "files.txt", "--json-summary", REPORT / "summary.json"], cwd=ROOT, check=True)
    return json.loads((REPORT / "summary.json").read_text())


def reason(name):
    return next((why for pattern, why in EXPLAINED.items() if fnmatch.fnmatch(name, pattern)), "")


def main():
    found = measure()
    low = sorted((f for f in found["files"]
                  if f["line_total"] - f["line_covered"] > FEW and f["line_percent"] < LEAST),
                 key=lambda f: f["line_covered"] - f["line_total"])
    for file in low:
        print(f"{file['line_total'] - file['line_covered']:5} of {file['line_total']:4} lines not reached: "
              f"{file['filename']}: {reason(file['filename']) or 'no reason in coverage.py'}")
    print(f"lines {found['line_percent']} %, branches {found['branch_percent']} %: {REPORT / 'index.html'}")
    if found["line_percent"] < LEAST or not all(reason(file["filename"]) for file in low):
        sys.exit(f"at least {LEAST:.0f} % of all lines and of each file's lines, or a reason in test/support/coverage.py")


main()
