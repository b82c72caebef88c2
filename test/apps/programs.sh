#!/usr/bin/env bash
# usage: programs.sh MODULE
# Programs that ask for AES or ARIA by OpenSSL's names and get ours with `?provider=gpuctr`: openssl cms and enc,
# Python's ssl, ssh-keygen. What ours has written OpenSSL's own reads, and the other way round; each trace says whose
# the cipher was.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/lib.sh" "$1" LEA-256
for who in ours stock; do
  [ "$who" = ours ] && query='?provider=gpuctr' || query='provider=default'
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers' 'alg_section = evp' \
    '[providers]' 'default = default_provider' 'gpuctr = gpuctr_provider' '[default_provider]' 'activate = 1' \
    '[gpuctr_provider]' 'activate = 1' "module = $module" '[evp]' "default_properties = $query" \
    '[req]' 'distinguished_name = name' '[name]' >"$scratch/$who.cnf"
done
export OPENSSL_CONF=$scratch/stock.cnf
certificate
head -c 100000 /dev/urandom >"$scratch/data"
cd "$scratch"

# as WHO COMMAND...: with that configuration; $scratch/trace has that command's lines alone.
as() {
  rm -f trace
  OPENSSL_CONF=$scratch/$1.cnf GPUCTR_TRACE=$scratch/trace "${@:2}" >said.log 2>&1 || fail "$*"
}
ours() { # ours WHO NAME WHAT: the trace has the cipher, or, of stock, nothing of it
  local found=no
  if grep -qs -- "$2 backend=" trace; then found=yes; fi
  case $1-$found in
  ours-no) fail "$3: $2 was not ours" ;;
  stock-yes) fail "$3: stock, and $2 was ours" ;;
  esac
}

# CMS: EnvelopedData in CBC, AuthEnvelopedData in GCM (RFC 5083).
messages=0
for name in ARIA-256-GCM AES-128-CBC; do
  for writer in ours stock; do
    as "$writer" openssl cms -encrypt -binary -in data -out sealed -outform DER "-${name,,}" cert.pem
    ours "$writer" "$name" "cms -encrypt"
    for reader in ours stock; do
      as "$reader" openssl cms -decrypt -binary -in sealed -inform DER -inkey key.pem -out again
      ours "$reader" "$name" "cms -decrypt"
      cmp -s data again || fail "CMS, $name, $writer to $reader: other bytes"
      messages=$((messages + 1))
    done
  done
done

# A changed message is refused, by ours as by OpenSSL's own. The tag ends the message.
as ours openssl cms -encrypt -binary -in data -out sealed -outform DER -aria-256-gcm cert.pem
python3 - <<'PYTHON'
data = bytearray(open("sealed", "rb").read())
data[len(data) // 2] ^= 1
open("changed", "wb").write(data)
PYTHON
for reader in ours stock; do
  if OPENSSL_CONF=$scratch/$reader.cnf openssl cms -decrypt -binary -in changed -inform DER -inkey key.pem \
    -out again 2>said.log; then fail "CMS, ARIA-256-GCM: $reader reads a changed message"; fi
done

# Python's ssl, client and server in one process: TLS 1.2 with an ARIA suite, and TLS 1.3, which has AES alone.
cat >tls.py <<'PYTHON'
import ssl
import sys

suite = sys.argv[1]

server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain("cert.pem", "key.pem")
client = ssl.create_default_context(cafile="cert.pem")
for context in (server, client):
    if suite.startswith("TLS_"):
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    else:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(suite)
wires = [ssl.MemoryBIO() for _ in range(2)]
sides = (client.wrap_bio(wires[0], wires[1], server_hostname="127.0.0.1"),
         server.wrap_bio(wires[1], wires[0], server_side=True))
waiting = list(sides)
while waiting:
    for side in list(waiting):
        try:
            side.do_handshake()
            waiting.remove(side)
        except ssl.SSLWantReadError:
            pass
data = open("data", "rb").read()
got = b""
for i in range(0, len(data), 10000):
    sides[0].write(data[i:i + 10000])
    got += sides[1].read(10000)
assert got == data and sides[0].cipher()[0] == suite, sides[0].cipher()
PYTHON
for who in ours stock; do
  as "$who" python3 tls.py ECDHE-ECDSA-ARIA256-GCM-SHA384
  ours "$who" ARIA-256-GCM "Python's ssl, TLS 1.2"
  as "$who" python3 tls.py TLS_AES_256_GCM_SHA384
  ours "$who" AES-256-GCM "Python's ssl, TLS 1.3"
done

# ssh-keygen encrypts a private key with a cipher of SSH's.
keys='no ssh-keygen here'
if command -v ssh-keygen >/dev/null; then
  keys=0
  for name in aes256-ctr aes128-cbc aes256-gcm@openssh.com; do
    cipher=${name%@*}
    cipher=${cipher^^}
    for writer in ours stock; do
      rm -f ssh ssh.pub
      as "$writer" ssh-keygen -q -t ed25519 -N 'pass phrase' -Z "$name" -f ssh
      ours "$writer" "${cipher/AES/AES-}" ssh-keygen
      for reader in ours stock; do
        as "$reader" ssh-keygen -y -P 'pass phrase' -f ssh
        ours "$reader" "${cipher/AES/AES-}" "ssh-keygen -y"
        keys=$((keys + 1))
      done
    done
  done
fi
echo "CMS: $messages messages; Python's ssl: TLS 1.2 and 1.3; keys of ssh-keygen: $keys"
