#!/usr/bin/env bash
# prove.sh [quick]: every proof of this folder. Fails, and says what fails, where one does not hold.
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
  quick)
    python3 -B prove.py --key-sizes 1 lea128 hight cham64_128 cham128_256 aria128 aes128 des idea threefish256 cast5
    python3 -B planted.py --quick
    ;;
  "")
    python3 -B prove.py
    python3 -B planted.py
    ;;
  *) echo "prove.sh does not know '$1'" >&2 && exit 2 ;;
esac
