#!/usr/bin/env bash
# usage: python.sh BUILD_DIR FAKE_MODULE
# provider/examples/evp.py on bytes, on numpy arrays, and on memory of the tests' card through __cuda_array_interface__.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
# shellcheck source=test/examples/lib.sh
. "$here/lib.sh"
build=$(cd "$1" && pwd)
venv "$build" numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openssl_cnf "$(realpath "$2")" LEA-256-CTR-DRBG 'properties = provider=gpuctr' '[gpuctr_fake_provider]' 'gpu-pointers = yes' >"$work/cnf"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../../provider/examples OPENSSL_CONF=$work/cnf \
  GPUCTR_MODULE_FOLDER=$build GPUCTR_FAKE_MEMORY=$((1 << 20)) "${python:?}" "$here/evp_test.py"
