#!/usr/bin/env bash
# usage: run.sh BUILD_DIR FAKE_MODULE [WORD...]
# pytest on the package of provider/python with the module of BUILD_DIR, and mypy on its types. The WORDs are pytest's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/venv.sh
. "$here/../support/venv.sh"
build=$(cd "$1" && pwd)
venv "$build" python-venv cryptography mypy numpy pytest safetensors
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An openssl.cnf that nothing could work with: the package reads none.
printf '%s\n' 'openssl_conf = init' '[init]' 'providers = list' '[list]' 'gpuctr = ours' '[ours]' 'module = /nonexistent' \
  'activate = 1' >"$work/openssl.cnf"
GPUCTR_FAKE_MODULE=$(realpath "$2")
export GPUCTR_FAKE_MODULE GPUCTR_MODULE=$build/gpuctr.so PYTHONPATH=$here/../../provider/python PYTHONDONTWRITEBYTECODE=1
OPENSSL_CONF=$work/openssl.cnf "${python:?}" -m pytest -q -p no:cacheprovider "$here" "${@:3}"
"$python" -m mypy --strict --cache-dir "$build/python-venv/mypy" "$PYTHONPATH/gpuctr"
