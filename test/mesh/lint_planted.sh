#!/usr/bin/env bash
# lint_planted.sh FOLDER SOURCES FILE TEXT REPLACEMENT: lint.sh on the sources with that fault in it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/plant.sh" "$@"
exec bash "$here/lint.sh" "$1"
