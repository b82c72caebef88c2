#!/usr/bin/env bash
# usage: wheel.sh BUILD_DIR
# The wheel of the Python package: what auditwheel says of it, the same bytes twice, and what it does in a fresh virtual
# environment without this checkout and without an openssl.cnf.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=test/support/venv.sh
. "$here/../support/venv.sh"
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "wheel.sh: $*" >&2
  exit 1
}

# A copy of the build, so that nothing is made in it: only the module is needed.
mkdir "$work/build"
ln -s "$build/gpuctr.so" "$work/build/gpuctr.so"
SOURCE_DATE_EPOCH=1700000000 bash "$root/provider/python/wheel.sh" "$work/build" "$work/one" >/dev/null
(umask 077 && SOURCE_DATE_EPOCH=1700000000 bash "$root/provider/python/wheel.sh" "$work/build" "$work/two" >/dev/null)
cmp "$work/one"/*.whl "$work/two"/*.whl || fail "the wheel is another one the second time"
wheel=$(ls "$work/one"/*.whl)
version=$(sed -n 's/^project(gpuctr VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
[ "$(basename "$wheel")" = "gpuctr-$version-py3-none-manylinux_2_34_$(uname -m).whl" ] ||
  [ "$(basename "$wheel")" = "gpuctr-$version-py3-none-linux_$(uname -m).whl" ] || fail "its name is $(basename "$wheel")"
[ "$(stat -c %s "$wheel")" -le 16000000 ] || fail "it has more than 16 MB"
litter=$(find "$root/provider/python" -name '*.egg-info' -o -name build -o -name dist -o -name '*.so')
[ -z "$litter" ] || fail "packing left $litter in the sources"

python3 -m venv "$work/venv" >"$work/log" 2>&1 || { echo "skipped: no python3-venv" >&2 && exit 77; }
"$work/venv/bin/pip" install -q --no-index --no-deps --disable-pip-version-check "$wheel"
cat >"$work/example.py" <<'PY'
import importlib.metadata
import pathlib
import gpuctr
assert importlib.metadata.version("gpuctr") == gpuctr.default_provider().version
folder = pathlib.Path(gpuctr.__file__).parent
assert gpuctr.default_provider().module == str(folder / "gpuctr.so") and (folder / "py.typed").is_file()
assert "Apache License" in (folder / "LICENSE").read_text()
key = gpuctr.Generator().bytes(32)
cipher = gpuctr.Cipher("LEA-256-GCM", key)
assert cipher.open(bytes(12), cipher.seal(bytes(12), b"attack at dawn", b"header"), b"header") == b"attack at dawn"
PY
cd "$work"
export OPENSSL_CONF=/nonexistent
unset GPUCTR_MODULE PYTHONPATH
"$work/venv/bin/python" -I example.py
"$work/venv/bin/python" -m gpuctr check

venv "$build" auditwheel-venv auditwheel
"${python:?}" -m auditwheel show "$wheel" >"$work/log"
case $wheel in
*manylinux*) tr '\n' ' ' <"$work/log" | grep -q 'following platform tag: "manylinux_2_\(34\|[12][0-9]\|3[0-3]\|5\)_' || fail "$(cat "$work/log")" ;;
esac
sed -n 2,4p "$work/log"
