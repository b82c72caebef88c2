"""usage: manual.py MANUAL

man formats the manual page without a warning, and no line has more than 80 columns on a terminal of that width.
"""

import os
import shutil
import subprocess
import sys

if not (shutil.which("man") and shutil.which("tbl")):
    sys.exit(77)
page = sys.argv[1]
result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], capture_output=True, text=True, check=False,
                        env={**os.environ, "MANWIDTH": "80", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
lines = result.stdout.splitlines()
wrong = result.stderr.splitlines() + [f"{len(line)} columns: {line}" for line in lines if len(line) > 80]
if result.returncode or len(lines) < 100:
    wrong.append(f"man ended with {result.returncode} after {len(lines)} lines")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{len(lines)} lines without a warning")
