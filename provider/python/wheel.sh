#!/usr/bin/env bash
# usage: wheel.sh BUILD_DIR FOLDER
# Packs the wheel of the Python package with the module of BUILD_DIR into FOLDER, by setuptools and without a network.
# The same sources and module give the same bytes where SOURCE_DATE_EPOCH is set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
rm -rf "$build/python"
cd "$here"
export GPUCTR_MODULE=$build/gpuctr.so PYTHONDONTWRITEBYTECODE=1
umask 022
# The first Python that has setuptools and its command for wheels: Debian's packages are of /usr/bin/python3.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'from wheel.bdist_wheel import bdist_wheel' 2>/dev/null ||
    "$candidate" -c 'from setuptools.command.bdist_wheel import bdist_wheel' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "wheel.sh: there is no setuptools for Python: install python3-setuptools and python3-wheel" >&2 && exit 1; }
log=$build/python-wheel.log
"$python" -c 'import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])' "$folder" >"$log" 2>&1 ||
  { cat "$log" >&2 && exit 1; }
ls "$folder"/gpuctr-*.whl
