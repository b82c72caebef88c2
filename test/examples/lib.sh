# shellcheck shell=bash
# Sourced by the tests of provider/examples. venv BUILD_DIR PACKAGE...: makes BUILD_DIR/examples-venv with these
# packages of PyPI and prints its Python; ends with 77 where they cannot be had.
venv() {
  local build=$1 log=$1/examples-venv.log
  shift
  exec 9>"$build/examples-venv.lock"
  flock 9
  if ! "$build/examples-venv/bin/pip" show -q "$@" 2>/dev/null; then
    rm -rf "$build/examples-venv"
    if ! python3 -m venv "$build/examples-venv" >"$log" 2>&1; then
      echo "skipped: no python3-venv: $(tail -n 1 "$log")" >&2
      exit 77
    fi
    if ! "$build/examples-venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: \
      'dask[distributed]' fsspec numpy >"$log" 2>&1; then
      echo "skipped: PyPI does not give dask, fsspec and numpy: $(tail -n 1 "$log")" >&2
      exit 77
    fi
  fi
  exec 9>&-
  # shellcheck disable=SC2034 # for the caller
  python=$build/examples-venv/bin/python
}
