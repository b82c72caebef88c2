#!/usr/bin/env bash
# usage: versions.sh BUILD_DIR RELEASE...
#        versions.sh --part PART BUILD_DIR RELEASE
# The module and the test programs as they are built, run on the OpenSSL of other Debian releases:
# listing, enc against the system's openssl in both directions, rand, every test program that uses
# libcrypto (BUILD_DIR/test/versions/programs names all programs), the zeroization scan, and the user
# stories of test/cli and test/apps that need no program but `openssl`, nginx and curl. Prints the compatibility
# table; exits 77 where a release cannot be fetched. A PART is enc, generators, zeroization, cli, apps, nginx or
# the path of a program; it exits 77 where it does not apply.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
part=
if [ "${1:-}" = --part ]; then
  part=$2
  shift 2
fi
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "versions: $*" >&2
  exit 1
}
quiet() { "$@" >"$work/log" 2>&1 || fail "on $version, $*: $(tail -n 20 "$work/log")"; }
# The same with that release's openssl first on PATH.
quiet_with() { quiet env PATH="$1/bin:$PATH" "${@:2}"; }

names=(hight lea-128 lea-192 lea-256 cham-64-128 cham-128-128 cham-128-256)
key_bits() { case $1 in *-192) echo 192 ;; *-256) echo 256 ;; *) echo 128 ;; esac; }
with_module=(-provider-path "$build" -provider gpuctr -provider default)
hex=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f

# Each cipher, from one openssl to the other: crypt FROM TO
crypt() {
  local name bits iv
  for name in "${names[@]}"; do
    bits=$(key_bits "$name")
    iv=${hex:0:32}
    case $name in hight | cham-64-*) iv=${hex:0:16} ;; esac
    local key=(-K "${hex:0:$((bits / 4))}" -iv "$iv")
    quiet "$1" enc "-$name-ctr" "${key[@]}" "${with_module[@]}" -in "$work/plain" -out "$work/sealed"
    quiet "$2" enc -d "-$name-ctr" "${key[@]}" "${with_module[@]}" -in "$work/sealed" -out "$work/again"
    cmp -s "$work/plain" "$work/again" || fail "$name: $1 and $2 do not agree"
    ! cmp -s "$work/plain" "$work/sealed" || fail "$name: $1 encrypts nothing"
  done
}

# Each part sets `count`, which the table shows.
part_enc() {
  quiet "$dir/bin/openssl" list -cipher-algorithms "${with_module[@]}"
  listed=$(grep -ciE '(hight|lea|cham).*-(ctr|ecb).* @ gpuctr' "$work/log" || true)
  [ "$listed" -ge $((2 * ${#names[@]})) ] || fail "$version lists $listed of our ciphers"
  head -c 3000001 /dev/urandom >"$work/plain"
  crypt "$dir/bin/openssl" openssl
  crypt openssl "$dir/bin/openssl"
  count=${#names[@]}
}

# Random bytes from each generator of the module, where it has any: 2 x 100000 bytes that differ.
part_generators() {
  local openssl=$dir/bin/openssl name
  count=0
  for name in "${names[@]}"; do
    quiet "$openssl" list -random-generators "${with_module[@]}"
    grep -qi "$name-CTR-DRBG" "$work/log" || continue
    openssl_cnf "$build/gpuctr.so" "$name-CTR-DRBG" 'properties = provider=gpuctr' >"$work/cnf"
    for i in 1 2; do OPENSSL_CONF=$work/cnf quiet "$openssl" rand -out "$work/random$i" 100000; done
    [ "$(stat -c %s "$work/random1")" = 100000 ] || fail "$name: rand wrote too little"
    ! cmp -s "$work/random1" "$work/random2" || fail "$name: the same random bytes twice"
    count=$((count + 1))
  done
}

# A test program on that libcrypto; `count` is how many tests passed. No program has a need of libcrypto only
# because it is linked with it.
part_program() {
  local program=$1 passed
  count=0
  quiet "$dir/with" --list "$program"
  grep -q libcrypto "$work/log" || return 0
  grep -q "libcrypto.*$dir/root" "$work/log" || fail "$program would not use the libcrypto of $version"
  quiet_with "$dir" "$dir/with" "$program"
  if [[ $version != *" 3."[0-4].* ]] && grep -q 'this libcrypto has no pipelines' "$work/log"; then
    fail "$program skipped its tests on $version, which has pipelines"
  fi
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\.$/\1/p' "$work/log")
  count=${passed:-0}
  # A program whose every test needs a device does not apply where there is none.
  skipped=$(grep -c '^\[  SKIPPED \] .* ms)$' "$work/log" || true)
  if [ "$count" = 0 ] && [ "$skipped" -gt 0 ] && [ "$(grep -c '^no device$' "$work/log")" = "$skipped" ]; then
    return 0
  fi
  [ "$count" -gt 0 ] || fail "no test of $program ran on $version"
}

# stories FOLDER ARGUMENT NAME...: some of test/FOLDER, told with that release's openssl
stories() {
  local folder=$1 argument=$2 name
  shift 2
  for name in "$@"; do
    # shellcheck disable=SC2086 # the argument may be two words
    quiet_with "$dir" bash "$here/../$folder/$name.sh" $argument
    count=$((count + 1))
  done
}

part_zeroization() {
  quiet env LD_BIND_NOW=1 "$dir/with" "$build/test/trust/trust_zeroization_evp" "$build" gpuctr
  count=1
}

# Not the soak, which starts itself again and would start the release's loader; not speed, which measures; not
# huge (4.5 GiB: its counts are those of the module, whatever the version).
part_cli() {
  count=0
  export GPUCTR_WITH=$dir/with # for a program of ours that is linked with libcrypto
  stories cli "$build" enc list backend mac check
}

# No story with Python or OpenVPN.
part_apps() {
  count=0
  stories apps "$build/gpuctr.so LEA-256" config keys tls/s_server
  stories apps "$build/gpuctr.so HIGHT" tls/s_server groups
  stories apps "$build/gpuctr.so" names tls/tls_gcm programs
}

# nginx and curl, where they are installed, run as built here on that release's libraries.
part_nginx() {
  local program
  count=0
  command -v nginx >/dev/null && command -v curl >/dev/null || return 0
  mkdir -p "$work/bin"
  for program in nginx curl; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$dir/with" "$(command -v $program)" >"$work/bin/$program"
    chmod +x "$work/bin/$program"
  done
  quiet_with "$dir" env PATH="$work/bin:$dir/bin:$PATH" bash "$here/../apps/tls/nginx_aria.sh" "$build/gpuctr.so"
  count=1
}

fetch() {
  dir=$build/openssl-$1
  bash "$here/fetch-openssl.sh" "$dir" "$1"
  version=$(cut -d' ' -f1,2 "$dir/version")
}

if [ -n "$part" ]; then
  fetch "$1"
  case $part in
    */*) part_program "$part" ;;
    *) "part_$part" ;;
  esac
  echo "$version, $part: $count"
  [ "$count" -gt 0 ] || exit 77
  exit 0
fi

printf '%-10s %-16s %8s %12s %11s %7s %8s\n' release OpenSSL ciphers 'enc, to+fro' generators tests \
  stories
for release in "$@"; do
  fetch "$release"
  part_enc
  enc=$count
  part_generators
  random=$count
  tests=0
  while read -r program; do
    part_program "$program"
    tests=$((tests + count))
  done <"$build/test/versions/programs"
  [ "$tests" -gt 0 ] || fail "no test ran on $version"
  told=0
  for part in zeroization cli apps nginx; do
    "part_$part"
    told=$((told + count))
  done
  printf '%-10s %-16s %8s %12s %11s %7s %8s\n' "$release" "$version" "$listed" "$enc" "$random" "$tests" "$told"
done
