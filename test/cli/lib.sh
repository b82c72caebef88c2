# What the command-line tests share. Sourced with the build folder as first argument: sets `work`, a
# folder that goes at the end, and points OpenSSL to a configuration with the module in it.
# shellcheck shell=bash
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/openssl-cnf.sh"
# shellcheck source=test/support/algorithms.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/algorithms.sh"
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENSSL_CONF=/dev/null OPENSSL_MODULES=$build

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# Runs a command that has to fail, with this text in what it prints.
fails_with() {
  local text=$1
  shift
  ! "$@" >"$work/said" 2>&1 || fail "succeeded: $*"
  grep -qF -- "$text" "$work/said" || fail "'$text' is not in what it said: $(cat "$work/said")"
}

# The module's own word for what it has.
# shellcheck disable=SC2034  # used by the tests
mapfile -t ciphers < <(our_ciphers "$build" | tr '[:upper:]' '[:lower:]')
# shellcheck disable=SC2034
providers=(-provider gpuctr -provider default)

# configure LINES: an openssl.cnf with these lines in the provider's section.
configure() {
  openssl_cnf gpuctr '' "$@" >"$work/openssl.cnf"
  export OPENSSL_CONF=$work/openssl.cnf
}
