# shellcheck shell=bash
# venv BUILD_DIR NAME PACKAGE...: makes the virtual environment BUILD_DIR/NAME with these packages of PyPI, once, and
# sets `python` to its Python; ends with 77 where they cannot be had.
venv() {
  local build=$1 name=$2
  local folder=$build/$name log=$build/$name.log
  shift 2
  exec 9>"$folder.lock"
  flock 9
  if [ "$(cat "$folder/complete" 2>/dev/null)" != "$*" ]; then
    rm -rf "$folder"
    if ! python3 -m venv "$folder" >"$log" 2>&1; then
      echo "skipped: no python3-venv: $(tail -n 1 "$log")" >&2
      exit 77
    fi
    if ! "$folder/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$@" >"$log" 2>&1; then
      echo "skipped: PyPI does not give $*: $(tail -n 1 "$log")" >&2
      exit 77
    fi
    echo "$*" >"$folder/complete"
  fi
  exec 9>&-
  # shellcheck disable=SC2034 # for the caller
  python=$folder/bin/python
}
