#!/usr/bin/env bash
# usage: versions.sh BUILD_DIR RELEASE...
# The module and the test programs as they are built, run on the OpenSSL of other Debian releases:
# listing, enc against the system's openssl in both directions, rand, every test program that uses
# libcrypto (BUILD_DIR/test/versions/programs names all programs), the zeroization scan, and the user
# stories of test/cli and test/apps that need no program but `openssl`, nginx and curl. Prints the compatibility
# table; exits 77 where a release cannot be fetched.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
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
head -c 3000001 /dev/urandom >"$work/plain"

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

# Random bytes from each generator of the module, where it has any: 2 x 100000 bytes that differ.
generators() {
  local openssl=$1 name count=0
  for name in "${names[@]}"; do
    quiet "$openssl" list -random-generators "${with_module[@]}"
    grep -qi "$name-CTR-DRBG" "$work/log" || continue
    openssl_cnf "$build/gpuctr.so" "$name-CTR-DRBG" 'properties = provider=gpuctr' >"$work/cnf"
    for i in 1 2; do OPENSSL_CONF=$work/cnf quiet "$openssl" rand -out "$work/random$i" 100000; done
    [ "$(stat -c %s "$work/random1")" = 100000 ] || fail "$name: rand wrote too little"
    ! cmp -s "$work/random1" "$work/random2" || fail "$name: the same random bytes twice"
    count=$((count + 1))
  done
  for story in s_server groups; do
    quiet_with "$dir" bash "$here/../apps/$story.sh" "$build/gpuctr.so" HIGHT
    count=$((count + 1))
  done
  echo "$count"
}

# The test programs on that libcrypto; prints how many tests passed.
programs() {
  local dir=$1 program passed total=0
  while read -r program; do
    quiet "$dir/with" --list "$program"
    grep -q libcrypto "$work/log" || continue # linked with it, and then had no need of it
    grep -q "libcrypto.*$dir/root" "$work/log" ||
      fail "$program would not use the libcrypto of $version"
    quiet_with "$dir" "$dir/with" "$program"
    if [[ $version != *" 3."[0-4].* ]] && grep -q 'this libcrypto has no pipelines' "$work/log"; then
      fail "$program skipped its tests on $version, which has pipelines"
    fi
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) tests*\.$/\1/p' "$work/log")
    total=$((total + ${passed:-0}))
  done <"$build/test/versions/programs"
  [ "$total" -gt 0 ] || fail "no test ran on $version"
  echo "$total"
}

# The zeroization scan, and the stories told with the openssl command; prints how many. Not the soak,
# which starts itself again and would start the release's loader; not cli/speed, which measures; not
# cli/huge (4.5 GiB: its counts are those of the module, whatever the version), and no story with Python or
# OpenVPN. nginx and curl, where they are installed, run as built here on that release's libraries.
stories() {
  local dir=$1 story program count=1
  quiet env LD_BIND_NOW=1 "$dir/with" "$build/test/trust/trust_zeroization_evp" "$build" gpuctr
  for story in enc list backend mac; do
    quiet_with "$dir" bash "$here/../cli/$story.sh" "$build"
    count=$((count + 1))
  done
  for story in config keys s_server; do
    quiet_with "$dir" bash "$here/../apps/$story.sh" "$build/gpuctr.so" LEA-256
    count=$((count + 1))
  done
  for story in s_server groups; do
    quiet_with "$dir" bash "$here/../apps/$story.sh" "$build/gpuctr.so" HIGHT
    count=$((count + 1))
  done
  for story in names tls_gcm programs; do
    quiet_with "$dir" bash "$here/../apps/$story.sh" "$build/gpuctr.so"
    count=$((count + 1))
  done
  if command -v nginx >/dev/null && command -v curl >/dev/null; then
    mkdir -p "$work/bin"
    for program in nginx curl; do
      printf '#!/bin/sh\nexec %s %s "$@"\n' "$dir/with" "$(command -v $program)" >"$work/bin/$program"
      chmod +x "$work/bin/$program"
    done
    quiet_with "$dir" env PATH="$work/bin:$dir/bin:$PATH" bash "$here/../apps/nginx_aria.sh" "$build/gpuctr.so"
    count=$((count + 1))
  fi
  echo "$count"
}

printf '%-10s %-16s %8s %12s %11s %7s %8s\n' release OpenSSL ciphers 'enc, to+fro' generators tests \
  stories
for release in "$@"; do
  dir=$build/openssl-$release
  bash "$here/fetch-openssl.sh" "$dir" "$release"
  version=$(cut -d' ' -f1,2 "$dir/version")
  quiet "$dir/bin/openssl" list -cipher-algorithms "${with_module[@]}"
  listed=$(grep -ciE '(hight|lea|cham).*-(ctr|ecb).* @ gpuctr' "$work/log" || true)
  [ "$listed" -ge $((2 * ${#names[@]})) ] || fail "$version lists $listed of our ciphers"
  crypt "$dir/bin/openssl" openssl
  crypt openssl "$dir/bin/openssl"
  random=$(generators "$dir/bin/openssl")
  tests=$(programs "$dir")
  told=$(stories "$dir")
  printf '%-10s %-16s %8s %12s %11s %7s %8s\n' "$release" "$version" "$listed" "${#names[@]}" \
    "$random" "$tests" "$told"
done
