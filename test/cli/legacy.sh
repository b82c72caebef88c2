#!/usr/bin/env bash
# As a user: files that OpenSSL's legacy provider encrypted years ago are read without that provider, and the other
# way round.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
cd "$work"
head -c 123457 /dev/urandom >plain

# OpenSSL's own, with its own modules.
stock() {
  env -u OPENSSL_MODULES -u GPUCTR_TRACE OPENSSL_CONF=/dev/null openssl "$@" -provider legacy -provider default 2>/dev/null
}

# Old files: a password, in the ways of OpenSSL 1.0, of 1.1 and with PBKDF2.
ways=(md5 sha256 pbkdf2)
flags_of() {
  case $1 in
  pbkdf2) flags=(-pbkdf2 -pass pass:secret) ;;
  *) flags=(-md "$1" -pass pass:secret) ;;
  esac
}
old_ciphers=(bf-cbc bf-ecb bf bf-ofb cast5-cbc cast cast5-cfb des-cbc des-cfb8 des-ede3-cbc des3 des-ede3-cfb1)
for way in "${ways[@]}"; do
  flags_of "$way"
  for cipher in "${old_ciphers[@]}"; do
    stock enc "-$cipher" "${flags[@]}" -in plain -out "$cipher.$way" || fail "OpenSSL itself has no $cipher"
  done
done

# Nobody gets these by accident.
fails_with 'unsupported' openssl enc -d -bf-cbc -pbkdf2 -pass pass:secret -in bf-cbc.pbkdf2 "${providers[@]}"
openssl list -cipher-algorithms -provider gpuctr >listed
if grep -q 'BF-CBC.*@ gpuctr' listed; then fail "BF-CBC is listed"; fi
configure 'legacy = maybe'
GPUCTR_TRACE=$work/trace openssl list -providers >listed
grep -q 'not loaded: legacy = maybe: it takes yes, no' trace || fail "the trace does not say why: $(cat trace)"

configure 'legacy = yes' 'algorithms = all'
openssl list -cipher-algorithms -verbose >listed
grep -q 'BF, BF-CBC, BLOWFISH } @ gpuctr' listed || fail "BF-CBC is not listed with its names: $(cat listed)"
grep -q 'description: BF, 64-bit block, 32- to 448-bit key, 16 rounds, CBC mode, not constant time' listed ||
  fail "the list does not say that BF is not constant time: $(cat listed)"
only_on=$(sed -n 's/.*description: BF, .* CBC mode, not constant time except on //p' listed)
export GPUCTR_TRACE=$work/trace
for way in "${ways[@]}"; do
  flags_of "$way"
  for cipher in "${old_ciphers[@]}"; do
    : >trace
    # The default provider's comes first unless ours is asked for, and the hash of the password is only there.
    openssl enc -d "-$cipher" "${flags[@]}" -in "$cipher.$way" -out again -propquery '?provider=gpuctr' 2>/dev/null ||
      fail "$cipher.$way is not read"
    cmp -s plain again || fail "$cipher.$way: other bytes"
    grep -q 'backend=' trace || fail "$cipher.$way: somebody else read it"
    case $cipher in
    bf* | cast*)
      if grep -q "backend=${only_on:-none}" trace; then
        if grep -q 'not constant time' trace; then fail "$cipher: the trace warns of $only_on"; fi
      else
        grep -q 'not constant time' trace || fail "$cipher: the trace does not warn"
      fi
      ;;
    *) if grep -q 'not constant time' trace; then fail "$cipher: the trace warns of it"; fi ;;
    esac
  done
done

# And old programs read ours.
for cipher in bf-cbc bf-cfb cast5-cbc cast5-ofb des-cbc des-cfb1 des-ede3-cbc des-ede3-ofb; do
  openssl enc "-$cipher" -pbkdf2 -pass pass:secret -in plain -out new -propquery '?provider=gpuctr'
  stock enc -d "-$cipher" -pbkdf2 -pass pass:secret -in new -out again || fail "$cipher: OpenSSL does not read ours"
  cmp -s plain again || fail "$cipher: OpenSSL reads other bytes"
done

# Those that OpenSSL has not, or its packages have not; and a key that openssl enc has no room for is refused.
for cipher in threefish-256-ctr threefish-512-ecb idea-cbc; do
  openssl enc "-$cipher" -pbkdf2 -pass pass:secret -in plain | openssl enc -d "-$cipher" -pbkdf2 -pass pass:secret |
    cmp -s - plain || fail "$cipher: the file did not come back"
done
fails_with 'key is 64 bytes, THREEFISH-1024 takes 128' openssl enc -threefish-1024-ctr -pbkdf2 -pass pass:secret -in plain
