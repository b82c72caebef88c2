#!/usr/bin/env bash
# prove.sh [quick]: every proof of this folder, on all cores. Fails, and says what fails, if one does not hold.
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
  quick)
    proofs=(
      "bash engine/check.sh ../.. quick"
      "bash forms/check.sh ../.. 512"
      "python3 -B prove.py --key-sizes 1 lea128 hight cham64_128 aria128 camellia128 aes128 des idea cast5 bf"
      "python3 -B forms/ghash.py ../.. scalar sse avx2_vpclmul"
      "bash drbg/search.sh"
      "python3 -B forms/avr_tables.py"
      "python3 -B elements.py ../.. element_lea128"
    )
    planted="python3 -B planted.py --quick"
    ;;
  "")
    proofs=(
      "python3 -B prove.py"
      "bash engine/check.sh"
      "bash forms/check.sh"
      "python3 -B published.py"
      "python3 -B forms/ghash.py"
      "bash drbg/search.sh"
      "python3 -B forms/avr_tables.py"
      "python3 -B elements.py"
    )
    planted="python3 -B planted.py"
    ;;
  *) echo "prove.sh does not know '$1'" >&2 && exit 2 ;;
esac

# The output of each comes at its end, as one.
one() {
  local said status=0
  said=$(bash -c "$1" 2>&1) || status=$?
  printf '%s\n' "$said"
  [ "$status" = 0 ] || { echo "prove: failed ($status): $1" >&2 && return 1; }
}
export -f one
# shellcheck disable=SC2016 # $1 is that bash's
printf '%s\0' "${proofs[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'one "$1"' one {}
$planted
