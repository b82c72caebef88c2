#!/usr/bin/env bash
# Unpacks the OpenSSL of another Debian release into a folder, to test against, and the release's C
# library beside it, because it may need a newer one than this machine has. Installs nothing.
# usage: fetch-openssl.sh DIR [RELEASE]     RELEASE: a Debian release name; default trixie (3.5)
#
# Leaves DIR/bin/openssl, that version with its own libraries; DIR/with, which runs any other program
# on them; DIR/version; and DIR/root, the unpacked packages with headers in usr/include. Exits 77
# where the archive cannot be reached.
set -euo pipefail

dir=${1:?usage: fetch-openssl.sh DIR [RELEASE]}
release=${2:-trixie}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
exec 9>"$dir/lock"
flock 9 # tests run at the same time
if [ "$(cat "$dir/release" 2>/dev/null)" = "$release" ]; then exit 0; fi
rm -f "$dir/release"

mkdir -p "$dir/bin"
bash "$(dirname "$0")/../support/unpack-debian.sh" "$dir/root" "$release" main \
  openssl libssl3t64 libssl-dev libc6

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
echo "$release" >"$dir/release"
