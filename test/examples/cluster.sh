#!/usr/bin/env bash
# usage: cluster.sh BUILD_DIR [BYTES [RANGE]]
# provider/examples/cluster.py on four worker processes (cluster_test.py), 64 MB unless BYTES says otherwise.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
# shellcheck source=test/support/venv.sh
. "$here/../support/venv.sh"
build=$(cd "$1" && pwd)
shift
venv "$build" examples-venv 'dask[distributed]' fsspec
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openssl_cnf "$build/gpuctr.so" >"$work/cnf"
OPENSSL_CONF=$work/cnf WORK=$work BYTES=${1:-64000007} RANGE=${2:-2000003} PYTHONDONTWRITEBYTECODE=1 \
  PYTHONWARNINGS=ignore PYTHONPATH=$here/../../provider/examples:$here/../../provider/python \
  GPUCTR_MODULE=$build/gpuctr.so DASK_TEMPORARY_DIRECTORY=$work "${python:?}" "$here/cluster_test.py"
