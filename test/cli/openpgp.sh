#!/usr/bin/env bash
# As a user: a message that GnuPG encrypted with a passphrase and CAST5, in OpenPGP's CFB (RFC 4880), is opened by
# `openssl enc` with our CAST5; and GnuPG opens one that `openssl enc` encrypted.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
here=$(cd "$(dirname "$0")" && pwd)
command -v gpg >/dev/null || { echo "skipped: no gpg here" && exit 77; }
cd "$work"
configure 'legacy = yes' 'algorithms = all'
export GPUCTR_TRACE=$work/trace GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
gpg_here() { gpg --batch --quiet --no-tty --pinentry-mode loopback --passphrase secret "$@" 2>>gpg.log; }
head -c 12345 /dev/urandom >plain

gpg_here --symmetric --cipher-algo CAST5 --compress-algo none --output sealed plain || fail "gpg: $(cat gpg.log)"
python3 "$here/openpgp.py" open secret sealed again || fail "the message of GnuPG does not open"
cmp -s plain again || fail "the message of GnuPG has other bytes"

python3 "$here/openpgp.py" make secret plain ours
gpg_here --decrypt --output again.gpg ours || fail "GnuPG does not open our message: $(cat gpg.log)"
cmp -s plain again.gpg || fail "GnuPG reads other bytes"

[ "$(grep -c ': CAST5-CFB backend=' trace)" = 2 ] || fail "the cipher was not ours: $(cat trace)"
gpgconf --kill gpg-agent
