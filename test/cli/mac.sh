#!/usr/bin/env bash
# OpenSSL's CMAC takes any cipher in CBC, its GMAC any in GCM: ours serve both. Those of AES and ARIA are what
# OpenSSL's own ciphers give, and what is published; of LEA, which it lacks, CMAC is what is published and what SP
# 800-38B says, and CMAC and GMAC differ from message to message.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"

{ head -c 999 /dev/urandom && printf w; } >"$work/text" # the last byte becomes another below
key=000102030405060708090a0b0c0d0e0f
mac() { # mac PROPERTIES CIPHER CMAC|GMAC: the MAC of the text; $work/trace has our cipher's line
  # -propquery is for the MAC itself; its cipher has properties of its own.
  local options=(-cipher "$2" -macopt "properties:$1" -macopt "hexkey:$key" -in "$work/text")
  if [ "$3" = GMAC ]; then options+=(-macopt hexiv:a0a1a2a3a4a5a6a7a8a9aaab); fi
  GPUCTR_TRACE=$work/trace openssl mac -provider gpuctr -provider default "${options[@]}" "$3"
}

for cipher in AES-128 ARIA-128; do
  for kind in CMAC GMAC; do
    mode=CBC
    if [ "$kind" = GMAC ]; then mode=GCM; fi
    stock=$(mac provider=default "$cipher-$mode" "$kind")
    rm -f "$work/trace"
    ours=$(mac '?provider=gpuctr' "$cipher-$mode" "$kind")
    [ "$ours" = "$stock" ] || fail "$kind of $cipher: $ours, OpenSSL's own $stock"
    # GMAC has no text, and so no line: that LEA's works says that ours serves it.
    [ "$kind" = GMAC ] || grep -qs "$cipher-CBC backend=" "$work/trace" || fail "the cipher of $kind was not ours"
  done
done

for kind in CMAC GMAC; do
  mode=CBC
  if [ "$kind" = GMAC ]; then mode=GCM; fi
  first=$(mac '?provider=gpuctr' "LEA-128-$mode" "$kind")
  [[ $first =~ ^[0-9A-F]{32}$ ]] || fail "$kind of LEA-128: $first"
  [ "$(mac '?provider=gpuctr' "LEA-128-$mode" "$kind")" = "$first" ] || fail "$kind of LEA-128 twice"
  printf 'x' | dd of="$work/text" bs=1 seek=999 conv=notrunc status=none
  [ "$(mac '?provider=gpuctr' "LEA-128-$mode" "$kind")" != "$first" ] || fail "$kind of LEA-128 of another text"
  printf 'y' | dd of="$work/text" bs=1 seek=999 conv=notrunc status=none
done

unhex() { printf %s "${1^^}" | basenc --base16 -d; }
# vector KIND CIPHER KEY IV INPUT MAC, in hexadecimal
vector() {
  local options=(-cipher "$2" -macopt "properties:?provider=gpuctr" -macopt "hexkey:$3")
  if [ -n "$4" ]; then options+=(-macopt "hexiv:$4"); fi
  unhex "$5" >"$work/input"
  local made
  made=$(openssl mac -provider gpuctr -provider default "${options[@]}" -in "$work/input" "$1")
  [ "${made,,}" = "$6" ] || fail "$1 of $2, $5: $made, not $6"
}
# RFC 4493, section 4.
text=6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
text+=30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
rfc4493=2b7e151628aed2a6abf7158809cf4f3c
vector CMAC AES-128-CBC $rfc4493 '' '' bb1d6929e95937287fa37d129b756746
vector CMAC AES-128-CBC $rfc4493 '' ${text:0:32} 070a16b46b4d4144f79bdd9dd04a287c
vector CMAC AES-128-CBC $rfc4493 '' ${text:0:80} dfa66747de9ae63030ca32611497c827
vector CMAC AES-128-CBC $rfc4493 '' $text 51f0bebf7e3b9d92fc49741779363cfe
# The reference package of NSR and KISA for LEA, lea_vs.c.
vector CMAC LEA-128-CBC e08ac16ca6b114519d220304432f211a '' \
  '' 58a654dd83445d4a342b619d1bc333c0
vector CMAC LEA-128-CBC efa39e5763067514a41ce6e30aaf2776 '' \
  938e57bd7cd6b34f 74044dd59282cc5d22bb561d590e7bcd
vector CMAC LEA-128-CBC ffed4f9b8f97878d29bb868c7a218734 '' \
  baf591c73a12a5873c803c63083af1d63c357a0d649fdc48ca64df8290f7c054 43156dd78674a334137a3671eeca600e
vector CMAC LEA-192-CBC 0b0f1d91881aaf04fd9ad7d2f9adcdab8507008bb7395027 '' \
  84337d8ad608df00 17784bc02bbd0d1b225ddb43c15336e0
vector CMAC LEA-192-CBC dc180e1f414a908d5724f1df42089831b6a9fc6d0ccd5c26 '' \
  9552b0c42e6fdfe2143d32f4fa76092d597ccda0089d25a50c956d7eb154643a f555d7c0c2b42fa3796349480fe3c560
vector CMAC LEA-256-CBC 9044342d1848930eb6e1a870f24b4f0cabb97e50ab9a7bbc7e1b4c8c83ed7097 '' \
  4348cc770230e8ea 7074773017effd96481346b5164c3be5
vector CMAC LEA-256-CBC f94863ebfc40bb654480ee2ffa62820aec46e5f528d6a698ca8fe5e3127d09f3 '' \
  ba45b1358669eccd1cc8ac3916647831566862d2996a39fc4fedfff9ab2a9d5f 9d858b8bf4898afa4068da30475262b7
# IEEE 802.1AE, Randall's test vectors of 2011, 2.1.1 and 2.1.2: 54 bytes, authentication alone.
text=d609b1f056637a0d46df998d88e5222ab2c2846512153524c0895e8108000f101112131415161718191a1b1c1d1e1f20212223242526
text+=2728292a2b2c2d2e2f30313233340001
vector GMAC AES-128-GCM ad7a2bd03eac835a6f620fdcb506b345 12153524c0895e81b2c28465 $text \
  f09478a9b09007d06f46e9b6a1da25dd
vector GMAC AES-256-GCM e3c08a8f06c6e3ad95a70557b23f75483ce33021a9c72b7025666204c69c0b72 12153524c0895e81b2c28465 \
  $text 2f0bc5af409e06d609ea8b7d0fa5ea50

# LEA's CMAC as SP 800-38B has it, from LEA-128-ECB and LEA-128-CBC: the last block, whole, has the subkey K1 added,
# which is the block of zeros encrypted and doubled in GF(2^128).
crypt() { # crypt MODE HEX: that encrypted, in hexadecimal
  unhex "$2" | openssl enc "-lea-128-$1" "${providers[@]}" -K $key \
    ${3:+-iv "$3"} -nopad | od -An -v -tx1 | tr -d ' \n'
}
zero=00000000000000000000000000000000
l=$(crypt ecb $zero)
k1='' carry=0
for ((i = 30; i >= 0; i -= 2)); do
  twice=$((16#${l:i:2} * 2 + carry))
  carry=$((twice >> 8))
  k1=$(printf %02x $((twice & 255)))$k1
done
if [ $carry = 1 ]; then k1=${k1:0:30}$(printf %02x $((16#${k1:30:2} ^ 0x87))); fi
last=''
for ((i = 0; i < 32; i += 2)); do last+=$(printf %02x $((16#${rfc4493:i:2} ^ 16#${k1:i:2}))); done
tag=$(crypt cbc "${text:0:32}$last" $zero)
vector CMAC LEA-128-CBC "$key" '' "${text:0:32}$rfc4493" "${tag:32:32}"
