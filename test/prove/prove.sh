#!/usr/bin/env bash
# prove.sh [quick]: every proof of this folder. Fails, and says what fails, if one does not hold.
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
  quick)
    python3 -B prove.py --key-sizes 1 lea128 hight cham64_128 aria128 camellia128 aes128 des idea cast5 bf
    bash drbg/search.sh
    bash forms/check.sh ../.. 512
    python3 -B forms/avr_tables.py
    python3 -B forms/ghash.py ../.. scalar sse avx2_vpclmul
    bash engine/check.sh ../.. quick
    python3 -B elements.py ../.. element_lea128
    python3 -B planted.py --quick
    ;;
  "")
    python3 -B published.py
    python3 -B prove.py
    bash drbg/search.sh
    bash forms/check.sh
    python3 -B forms/avr_tables.py
    python3 -B forms/ghash.py
    bash engine/check.sh
    python3 -B elements.py
    python3 -B planted.py
    ;;
  *) echo "prove.sh does not know '$1'" >&2 && exit 2 ;;
esac
