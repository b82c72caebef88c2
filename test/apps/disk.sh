#!/usr/bin/env bash
# Disk encryption in user space, with OpenSSL's names and ours in front: Ceph's way, and LUKS2 images that cryptsetup
# makes. "reencrypt --encrypt" of a file needs no device mapper; for LUKS1 it does.
# cryptsetup 2.6.1 made files/luks2-aes-128.img.xz by that command, with keys of 256 bits and sectors of 4,096 bytes;
# the bytes that neither key slot 0 nor the data uses were then zeroed or cut off. The password is "pass", the data are
# the first 8,192 bytes of "seq 1 2000". Key slots are in sectors of 512 bytes.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh" "$1" LEA-256
here=$(dirname "$0")
need python3

openssl_cnf "$module" '' '[evp]' 'default_properties = ?provider=gpuctr' |
  sed 's/^providers = providers$/&\nalg_section = evp/' >"$scratch/front.cnf"
# front CIPHER COMMAND...: ours serves the cipher, and the trace has it.
front() {
  local cipher=$1
  shift
  : >"$GPUCTR_TRACE"
  OPENSSL_CONF=$scratch/front.cnf python3 "$here/disk.py" "$@" >"$scratch/said" 2>"$scratch/python.log" ||
    fail "disk.py $*: $(cat "$scratch/python.log")"
  grep -q "$cipher backend=.* bytes=[1-9]" "$GPUCTR_TRACE" || fail "disk.py $*: ours did not serve it"
}

front AES-256-XTS ceph
mv "$scratch/said" "$scratch/ours"
OPENSSL_CONF=/dev/null python3 "$here/disk.py" ceph >"$scratch/stock" 2>"$scratch/python.log" || fail "OpenSSL's own"
cmp "$scratch/ours" "$scratch/stock" || fail "OpenSSL's own makes another image"
echo "Ceph's way: the image is OpenSSL's own"

seq 1 2000 >"$scratch/numbers"
truncate -s 8192 "$scratch/numbers"
front AES-128-XTS luks "$here/files/luks2-aes-128.img.xz" pass "$scratch/numbers"
cat "$scratch/said"

need cryptsetup
head -c 1048576 /dev/urandom >"$scratch/plain"
for sector in 512 4096; do
  cp "$scratch/plain" "$scratch/image"
  truncate -s 33M "$scratch/image"
  printf secret >"$scratch/password"
  OPENSSL_CONF=/dev/null cryptsetup reencrypt --encrypt --type luks2 --batch-mode --key-file "$scratch/password" \
    --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --cipher aes-xts-plain64 --key-size 512 --sector-size "$sector" \
    --reduce-device-size 16M "$scratch/image" >"$scratch/cryptsetup.log" 2>&1 ||
    { echo "skipped: this kernel gives cryptsetup no cipher: $(cat "$scratch/cryptsetup.log")" && exit 77; }
  front AES-256-XTS luks "$scratch/image" secret "$scratch/plain"
  cat "$scratch/said"
done
