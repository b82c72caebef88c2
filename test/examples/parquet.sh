#!/usr/bin/env bash
# usage: parquet.sh BUILD_DIR [ROWS [PAGE_BYTES]]
# provider/examples/parquet_pages.py, with pyarrow as the writer and the reader: 50,000 rows unless ROWS says otherwise.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/venv.sh
. "$here/../support/venv.sh"
build=$(cd "$1" && pwd)
shift
venv "$build" parquet-venv numpy pyarrow
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../../provider/python GPUCTR_MODULE=$build/gpuctr.so \
  "${python:?}" "$here/../../provider/examples/parquet_pages.py" "${1:-50000}" "${2:-4096}"
