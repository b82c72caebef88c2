#!/usr/bin/env bash
# OpenSSL's CMAC takes any cipher in CBC, its GMAC any in GCM: ours serve both. Those of AES and ARIA are what
# OpenSSL's own ciphers give; of LEA, which it lacks, CMAC and GMAC differ from message to message.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"

head -c 1000 /dev/urandom >"$work/text"
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
