#!/usr/bin/env bash
# Unpacks the OpenSSL of another Debian release into a folder, to test against. Installs nothing:
# apt gets a configuration, package lists and a status file of its own, and the release's C library
# is unpacked beside OpenSSL, because it may need a newer one than this machine has.
# usage: fetch-openssl.sh DIR [RELEASE]     RELEASE: a Debian release name; default trixie (3.5)
#
# Leaves DIR/bin/openssl, that version with its own libraries; DIR/with, which runs any other program
# on them; DIR/version; and DIR/root, the unpacked packages with headers in usr/include. The
# archive's address and keys are those of this machine's own apt sources, with the release's name put
# in place of the running one's. Exits 77 where the archive cannot be reached.
set -euo pipefail

dir=${1:?usage: fetch-openssl.sh DIR [RELEASE]}
release=${2:-trixie}

skip() {
  echo "skipped: $*" >&2
  exit 77
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
exec 9>"$dir/lock"
flock 9 # tests run at the same time
if [ "$(cat "$dir/release" 2>/dev/null)" = "$release" ]; then exit 0; fi
rm -f "$dir/release"

command -v apt-get >/dev/null || skip "no apt-get here: this test takes OpenSSL from Debian's archive"
# shellcheck disable=SC1091
running=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # the placeholders are apt's
uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
  awk -v suite="$running" '$1 == suite {print $2; exit}')
[ -n "$uri" ] || skip "no apt source of the running release '$running' on this machine"

apt=$dir/apt
rm -rf "$apt" "$dir/root"
mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts} "$dir/root" "$dir/bin"
: >"$apt/status"
: >"$apt/keys.gpg"
for key in /usr/share/keyrings/debian-archive-*.gpg /etc/apt/trusted.gpg.d/debian-archive-*.gpg; do
  [ ! -f "$key" ] || cat "$key" >>"$apt/keys.gpg"
done
[ -s "$apt/keys.gpg" ] || skip "no keys of Debian's archive on this machine"
echo "deb [signed-by=$apt/keys.gpg] $uri $release main" >"$apt/sources.list"

options=(
  -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::Etc::SourceParts=$apt/parts"
  -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status"
  -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=root" -o "Acquire::Languages=none"
  -o "Acquire::Retries=2" -o "APT::Update::Error-Mode=any"
)
if ! (cd "$apt" && apt-get "${options[@]}" update &&
  apt-get "${options[@]}" download openssl libssl3t64 libssl-dev libc6) >"$apt/log" 2>&1; then
  cat "$apt/log" >&2
  skip "cannot fetch OpenSSL of Debian $release"
fi
for deb in "$apt"/*.deb; do dpkg-deb --extract "$deb" "$dir/root"; done

libraries=$(dirname "$(find "$dir/root" -name 'libcrypto.so.[34]' | head -n 1)")
loader=$(find "$dir/root" -name 'ld-linux*.so.*' | head -n 1)
# The system's own folder comes last: for libstdc++ and what else the release did not bring.
cat >"$dir/with" <<WRAPPER
#!/bin/sh
# Runs a program on OpenSSL and the C library of Debian $release.
exec $loader --library-path $libraries:$(dirname "$loader"):/usr/lib/$(basename "$libraries") "\$@"
WRAPPER
cat >"$dir/bin/openssl" <<WRAPPER
#!/bin/sh
export OPENSSL_MODULES="\${OPENSSL_MODULES:-$libraries/ossl-modules}"
exec $dir/with $dir/root/usr/bin/openssl "\$@"
WRAPPER
chmod +x "$dir/with" "$dir/bin/openssl"
"$dir/bin/openssl" version >"$dir/version"
rm -rf "$apt"
echo "$release" >"$dir/release"
