# What the command-line tests share. Sourced with the build folder as first argument: sets `work`, a
# folder that goes at the end, and points OpenSSL to a configuration with the module in it.
# shellcheck shell=bash
set -euo pipefail
# shellcheck source=test/support/openssl-cnf.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/openssl-cnf.sh"
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

# shellcheck disable=SC2034  # used by the tests
ciphers=(hight lea-128 lea-192 lea-256 cham-64-128 cham-128-128 cham-128-256)
# shellcheck disable=SC2034
providers=(-provider gpuctr -provider default)

# configure LINES: an openssl.cnf with these lines in the provider's section.
configure() {
  openssl_cnf gpuctr '' "$@" >"$work/openssl.cnf"
  export OPENSSL_CONF=$work/openssl.cnf
}
