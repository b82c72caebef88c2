#!/usr/bin/env bash
# usage: install.sh BUILD_DIR
# As an administrator: cmake --install into a folder, then the Debian package, unpacked, installed
# and removed under a root folder of its own. OpenSSL must find the module in each place, and nothing
# may be left behind.
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "package: $*" >&2
  exit 1
}
expect_file() { [ -s "$1" ] || fail "missing: $1"; }

# Encrypts and decrypts with the module in folder $1, and takes the example configuration $2.
use_module() {
  local key=(-K 000102030405060708090a0b0c0d0e0f -iv 00000000000000000000000000000000)
  local where=(-provider-path "$1" -provider gpuctr -provider default)
  head -c 100000 /dev/urandom >"$work/plain"
  openssl enc -lea-128-ctr "${key[@]}" "${where[@]}" -in "$work/plain" -out "$work/sealed"
  openssl enc -d -lea-128-ctr "${key[@]}" "${where[@]}" -in "$work/sealed" -out "$work/again"
  cmp "$work/plain" "$work/again" || fail "the module in $1 does not decrypt what it encrypted"
  ! cmp -s "$work/plain" "$work/sealed" || fail "the module in $1 encrypts nothing"
  OPENSSL_MODULES=$1 OPENSSL_CONF=$2 openssl list -providers >"$work/list" 2>&1 ||
    fail "the example openssl.cnf is refused: $(cat "$work/list")"
  grep -q '^  gpuctr$' "$work/list" || fail "the example openssl.cnf does not activate gpuctr"
  local check
  check=$(find "${1%%/lib*}" -name gpuctr-check -type f)
  OPENSSL_MODULES=$1 "$check" "$2" >"$work/list" || fail "gpuctr-check finds a fault in the example: $(cat "$work/list")"
  # With every line that is commented out: the defaults it shows are legal, and so is [random].
  sed 's/^# \(random = random\)$/\1/; s/^# \([a-z-]* = [a-z0-9M]*\)$/\1/' "$2" >"$work/full.cnf"
  OPENSSL_MODULES=$1 OPENSSL_CONF=$work/full.cnf openssl rand -hex 16 >"$work/list" 2>&1 ||
    fail "the example openssl.cnf in full is refused: $(cat "$work/list")"
}

# 1. A prefix.
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" --component gpuctr >"$work/log" || fail "$(cat "$work/log")"
modules=$(dirname "$(find "$prefix" -name gpuctr.so)")
expect_file "$modules/gpuctr.so"
expect_file "$prefix/include/gpuctr.h"
expect_file "$prefix/share/man/man7/gpuctr.7"
expect_file "$prefix/share/man/man1/gpuctr-check.1"
expect_file "$prefix/share/doc/gpuctr/examples/ctr.c"
use_module "$modules" "$prefix/share/doc/gpuctr/openssl.cnf"
expect_file "$prefix/share/doc/gpuctr/README.md"
python3 "$source/test/package/documents.py" "$prefix/share/doc/gpuctr" || fail "a link of the documents is dead"
grep -q 'xargs rm < build/install_manifest_gpuctr.txt' "$source/README.md" || fail "README.md does not say how to uninstall"
xargs rm <"$build/install_manifest_gpuctr.txt"
[ -z "$(find "$prefix" -type f)" ] || fail "uninstalling leaves files behind: $(find "$prefix" -type f)"

# 2. OpenSSL's own place, under DESTDIR, where the prefix is the default one.
if grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt"; then
  own=$(openssl version -m | sed 's/.*"\(.*\)"/\1/')
  DESTDIR=$work/dest cmake --install "$build" --component gpuctr >"$work/log" || fail "$(cat "$work/log")"
  expect_file "$work/dest$own/gpuctr.so"
fi

# 3. The manual page and the example have every configuration key, and no other.
sed -n 's/^ *KEY([a-z_]*, "\([a-z-]*\)").*/\1/p' "$source/provider/config/keys.h" |
  sort >"$work/keys"
[ -s "$work/keys" ] || fail "no configuration keys found in provider/config/keys.h"
sed -n '/^\.SH CONFIGURATION/,/^\.SH ENV/s/^\.B \([a-z\\-]*\) = .*/\1/p' "$source/provider/gpuctr.7.in" |
  sed 's|\\||g' | grep -vx activate | sort >"$work/manual"
sed -n '/^\[gpuctr_provider\]/,/^\[random\]/s/^\(# \)\{0,1\}\([a-z-]*\) = .*/\2/p' \
  "$source/provider/openssl.cnf" | grep -vxE 'module|activate' | sort >"$work/example"
diff "$work/keys" "$work/manual" >&2 || fail "gpuctr(7) and provider/config/keys.h have different keys"
diff "$work/keys" "$work/example" >&2 || fail "openssl.cnf and provider/config/keys.h have different keys"

# 4. The package: contents, installing and removing.
command -v dpkg-deb >/dev/null || { echo "package: no dpkg-deb here, the rest is not tested" && exit 77; }
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/deb") >"$work/log" 2>&1 ||
  fail "cpack: $(cat "$work/log")"
deb=$(find "$work/deb" -maxdepth 1 -name '*.deb')
dpkg-deb --field "$deb" Depends | grep -q 'libssl3 | libssl3t64' || fail "no dependency on libssl3"
dpkg-deb --field "$deb" Maintainer | grep -q '<.*@.*>$' || fail "the package has no address"
dpkg-deb --field "$deb" Description >"$work/description"
for word in LEA HIGHT CHAM ARIA SEED Camellia AES CTR CBC ECB GCM CCM CTR_DRBG DES IDEA CAST5 BF Threefish; do
  grep -qw "$word" "$work/description" || fail "the package's description lacks $word"
done
dpkg-deb --contents "$deb" | awk '{print $6}' | grep -v '/$' | sort >"$work/contents"
! grep -vE '^\./usr/(lib/.*ossl-modules/gpuctr\.so|bin/gpuctr-check|include/gpuctr\.h|share/(doc/gpuctr(/examples)?|man/man[17])/[^/]*)$' "$work/contents" ||
  fail "the package holds files of others"
dpkg-deb --extract "$deb" "$work/unpacked"
use_module "$(dirname "$(find "$work/unpacked" -name gpuctr.so)")" \
  "$work/unpacked/usr/share/doc/gpuctr/openssl.cnf"

root=$work/root
mkdir -p "$root/var/lib/dpkg/"{info,updates} "$root/usr"
: >"$root/var/lib/dpkg/status"
# The folder has no other packages, so dependencies cannot be met in it.
on_root() {
  dpkg --root="$root" --log="$work/dpkg.log" --force-depends --force-not-root "$@" >"$work/log" 2>&1 ||
    fail "dpkg $*: $(cat "$work/log")"
}
on_root --install "$deb"
use_module "$(dirname "$(find "$root/usr" -name gpuctr.so)")" "$root/usr/share/doc/gpuctr/openssl.cnf"
on_root --purge gpuctr
left=$(find "$root" -path "$root/var/lib/dpkg" -prune -o ! -type d -print)
[ -z "$left" ] || fail "left behind: $left"
[ ! -e "$root/usr/share/doc/gpuctr" ] || fail "an empty folder is left behind"
echo "installed, used and removed: $(basename "$deb"), $(wc -l <"$work/contents") files"
