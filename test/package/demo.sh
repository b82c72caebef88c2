#!/usr/bin/env bash
# usage: demo.sh MODULE_FOLDER
# What ./run demo shows: test/demo/chart.py on rates that are known, test/demo/rates.sh on one cipher of this build, and
# the round trip of test/demo/demo.sh.
set -euo pipefail
module_dir=$(cd "$1" && pwd)
cd "$(dirname "$0")/../demo"
# shellcheck source=test/support/algorithms.sh
. ../support/algorithms.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "package.demo: $*" >&2
  cat "$work/out" >&2
  exit 1
}

# 1. Known rates: the order, the lengths of the bars, the ratios, and a rate of nothing, which is no measurement.
printf '%s\t%s\t%s\t%s\n' OpenSSL AES-128 4e9 OpenSSL gpuctr LEA-256 1e9 cuda gpuctr LEA-128 2e9 cuda \
  gpuctr ARIA-128 8e9 avx2 OpenSSL ARIA-128 0.16e9 OpenSSL gpuctr CHAM-128-128 4e9 avx2 gpuctr CHAM-64-128 4e9 avx2 \
  gpuctr AES-128 6e9 avx2 >"$work/rates"
python3 chart.py "$work/known.svg" <"$work/rates" >"$work/out"
python3 - "$work/known.svg" "$work/out" <<'PY' || fail "the table is wrong"
import sys
import xml.etree.ElementTree as xml
bars = [float(r.get("width")) for r in xml.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect") if r.get("class")]
assert bars == [345, 460, 230, 230, 115, 57.5], bars
lines = open(sys.argv[2], encoding="utf-8").read().split("\n")
assert lines[0].split() == ["cipher", "GB/s", "x", "OpenSSL", "backend"], lines[0]
words = [[line.split()[i] for i in (0, 1, -2, -1)] for line in lines[1:7]]
assert words == [["AES-128", "6.0", "1.5", "avx2"], ["ARIA-128", "8.0", "50", "avx2"],
                 ["CHAM-64-128", "4.0", "1.0*", "avx2"], ["CHAM-128-128", "4.0", "1.0*", "avx2"],
                 ["LEA-128", "2.0", "0.5*", "cuda"], ["LEA-256", "1.0", "0.2*", "cuda"]], words
assert [line.count("\u2588") for line in lines[1:7]] == [22, 30, 15, 15, 8, 4], lines
assert "AES-128, 4.0 GB/s" in lines[9], lines
PY
sed -i 's/2e9/0/' "$work/rates"
if python3 chart.py "$work/zero.svg" <"$work/rates" >"$work/out" 2>&1; then fail "a rate of 0 is drawn"; fi

# 2. A cipher of this build.
cipher=$(our_ciphers "$module_dir" | head -n 1)
bash rates.sh "$module_dir" "$work/rates.svg" "$cipher" >"$work/out"
grep -qE "^$cipher +[0-9.]+ .* [0-9.]+[ *]  [a-z0-9-]+\$" "$work/out" || fail "no rate of $cipher"
if bash rates.sh "$module_dir" "$work/rates.svg" NONE >"$work/out" 2>&1; then fail "a cipher that nobody has is measured"; fi

# 3. The round trip of a file: a stand-in for openssl counts the ciphers, and spoils one of them. rates.sh is 2.
mkdir -p "$work/bin" "$work/tree/test/demo" "$work/tree/test/support"
cp demo.sh "$work/tree/test/demo/"
cp ../support/algorithms.sh "$work/tree/test/support/"
echo 'echo rates' >"$work/tree/test/demo/rates.sh"
real=$(command -v openssl)
cat >"$work/bin/openssl" <<OPENSSL
#!/usr/bin/env bash
case "\$1 \$2" in
  "enc -d") echo "\$3" >>"$work/decrypted"
    if [ "\${SPOIL:-}" = "\$3" ]; then "$real" "\$@" | tr '\\000' '\\001'; exit; fi ;;
esac
exec "$real" "\$@"
OPENSSL
chmod +x "$work/bin/openssl"
demo() { PATH=$work/bin:$PATH GPUCTR_DEMO_MODULES=$module_dir bash "$work/tree/test/demo/demo.sh" "$@" >"$work/out" 2>&1; }
head -c 70001 /dev/zero >"$work/file"
demo "$work/file" || fail "the round trip of a file fails"
ours=$(our_ciphers "$module_dir" | wc -l)
[ "$(sort -u "$work/decrypted" | wc -l)" = "$ours" ] || fail "not every cipher makes the round trip"
grep -qx "encrypted and decrypted it with each of $ours ciphers: the same 70001 bytes every time" "$work/out" ||
  fail "no line says so"
grep -qx "rates" "$work/out" || fail "no rates follow"
if SPOIL=-${cipher,,}-ctr demo "$work/file"; then fail "a file that does not come back is taken"; fi
grep -qx "demo: $cipher-CTR did not give the file back" "$work/out" || fail "it does not say which cipher is wrong"
: >"$work/file"
if demo "$work/file"; then fail "an empty file is taken"; fi
grep -q "^demo: $work/file is empty" "$work/out" || fail "it does not say that the file is empty"
echo "rates of $cipher, the table and its picture, the round trip"
