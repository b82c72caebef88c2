#!/usr/bin/env bash
# usage: check.sh BUILD_DIR
# As an administrator: gpuctr-check finds each mistake that an openssl.cnf can have, on its line, with what to write
# instead. For every file it says "is loaded" only where `openssl list -providers` lists gpuctr.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
unset OPENSSL_CONF OPENSSL_MODULES OPENSSL_CONF_INCLUDE
module=$build/gpuctr.so
cat >"$work/good.cnf" <<CNF
config_diagnostics = 0
openssl_conf = openssl_init
[openssl_init]
providers = providers
alg_section = evp
random = random
[evp]
default_properties = ?provider=gpuctr
[providers]
default = default_provider
gpuctr = gpuctr_provider
[default_provider]
activate = 1
[gpuctr_provider]
activate = 1
module = $module
algorithms = faster
[random]
random = LEA-256-CTR-DRBG
properties = provider=gpuctr
CNF
cases=0
# The loader of another release's libraries, by which test/versions runs the program; else nothing.
with=(${GPUCTR_WITH:+"$GPUCTR_WITH"})

# check FILE: what the tool says goes to $work/said, its exit status to `status`.
check() {
  status=0
  "${with[@]}" "$build/gpuctr-check" "$1" >"$work/said" 2>&1 || status=$?
  cases=$((cases + 1))
}
# says NAME TEXT...: the texts are in what it said.
says() {
  local name=$1 text
  for text in "${@:2}"; do
    grep -qF -- "$text" "$work/said" || fail "$name: '$text' is not in what it said: $(cat "$work/said")"
  done
}
# What OpenSSL itself does with the file, where that is the same in all versions.
agrees() { # agrees NAME FILE
  local listed=no said=no
  if OPENSSL_CONF=$2 openssl list -providers 2>/dev/null | grep -q '^  gpuctr$'; then listed=yes; fi
  if head -n 1 "$work/said" | grep -q '^gpuctr [0-9.]* is loaded'; then said=yes; fi
  [ "$listed" = "$said" ] || fail "$1: OpenSSL lists gpuctr: $listed; gpuctr-check: $(cat "$work/said")"
}
# wrong NAME SED TEXT...: the good file, changed by sed, has one fault or more, with these texts.
wrong() {
  local name=$1
  sed "$2" "$work/good.cnf" >"$work/wrong.cnf"
  if cmp -s "$work/good.cnf" "$work/wrong.cnf"; then fail "$name: nothing is changed"; fi
  check "$work/wrong.cnf"
  [ "$status" = 1 ] || fail "$name: the status is $status: $(cat "$work/said")"
  says "$name" "${@:3}"
  agrees "$name" "$work/wrong.cnf"
}
# one_fault: the last file has exactly one.
one_fault() {
  [ "$(grep "^  $work/" "$work/said" | grep -cv ': note: ')" = 1 ] || fail "that is not one fault: $(cat "$work/said")"
}
at=$work/wrong.cnf

# 1. Right files.
check "$work/good.cnf"
[ "$status" = 0 ] || fail "the good file: $(cat "$work/said")"
agrees "the good file" "$work/good.cnf"
says "the good file" ' is loaded and serves ' 'A program gets from gpuctr:' '  LEA-128: CBC CCM CFB CFB1 CFB8 CTR ECB GCM OFB WRAP' \
  '  HIGHT: CBC CFB CFB1 CFB8 CTR ECB OFB' 'Random bytes of programs: LEA-256-CTR-DRBG of gpuctr'
if grep -q 'note:' "$work/said"; then fail "a note on the good file: $(cat "$work/said")"; fi
served=$(sed -n 's/.* serves \([0-9]*\) ciphers\.$/\1/p' "$work/said")
listed=$(OPENSSL_CONF=$work/good.cnf openssl list -cipher-algorithms | grep -c '@ gpuctr$')
[ "$served" = "$listed" ] || fail "it serves $served ciphers, and OpenSSL lists $listed"

sed '/^default_properties/d; s/faster/all/' "$work/good.cnf" >"$work/plain.cnf"
check "$work/plain.cnf"
[ "$status" = 0 ] || fail "without a query: $(cat "$work/said")"
says "without a query" 'A program gets from default, and from gpuctr only with the properties ?provider=gpuctr:'
served=$(sed -n 's/.* serves \([0-9]*\) ciphers\.$/\1/p' "$work/said")
sed 's/faster/own/' "$work/good.cnf" >"$work/own.cnf"
listed=$(OPENSSL_CONF=$work/own.cnf openssl list -cipher-algorithms | grep -c '@ gpuctr$')
# AES-GCM-SIV of three key sizes counts as OpenSSL's, but OpenSSL 3.0 has none.
OPENSSL_CONF=/dev/null openssl list -cipher-algorithms | grep -qi GCM-SIV || listed=$((listed + 3))
[ "$served" = "$listed" ] || fail "without a query it serves $served ciphers, and OpenSSL lacks $listed"
sed -n '/^A program gets from default/,/^$/p' "$work/said" | grep -q '  ARIA-128: CBC CCM CFB CFB1 CFB8 CTR ECB GCM OFB' ||
  fail "ARIA is not the default provider's: $(cat "$work/said")"

OPENSSL_CONF=$work/good.cnf "${with[@]}" "$build/gpuctr-check" >"$work/said" || fail "OPENSSL_CONF is not read: $(cat "$work/said")"
OPENSSL_MODULES=$build "${with[@]}" "$build/gpuctr-check" "$(dirname "$0")/../../provider/openssl.cnf" >"$work/said" ||
  fail "the full example: $(cat "$work/said")"

# 2. Keys and values of our section.
wrong "legcy" 's/^algorithms.*/legcy = yes/' "$at:17: legcy: OpenSSL does not know this key: write legacy"
one_fault
wrong "modle" 's/^module/modle/' "$at:16: modle: OpenSSL does not know this key: write module"
one_fault
wrong "max_bytes" 's/^algorithms.*/max_bytes = 1M/' "$at:17: max_bytes: OpenSSL does not know this key: write max-bytes"
wrong "activte" '15s/activate/activte/' "$at:15: activte: OpenSSL does not know this key: write activate"
one_fault
wrong "no activate" 15d "$at:14: [gpuctr_provider] does not activate gpuctr: write activate = 1 in it"
one_fault
wrong "a bad value" 's/= faster/= LEA-129/' "$at:17: algorithms = LEA-129: it takes all, or a list of own, faster"
one_fault
wrong "a bad value that OpenSSL has to escape" 's/= faster/= LEA\\$\\#"x y\\\\"/' "$at:17: algorithms = LEA\$#x y\\: it takes"
wrong "two bad values" 's/= faster/= LEA-129\nthreads = 0/' "$at:17: algorithms = LEA-129: it takes"
wrong "the name of a section" 's/^algorithms.*/cpu = scalar\n[scalar]\nthreads = 3/' \
  "$at:17: cpu = scalar: OpenSSL takes the section [scalar] in place of this value: give the section another name"
one_fault
wrong "the name of an empty section" 's/^algorithms.*/cpu = scalar\n[scalar]\nx = 1/' "$at:17: cpu = scalar: OpenSSL takes"

sed '15s/= 1/= 0/' "$work/good.cnf" >"$at"
check "$at"
[ "$status" = 1 ] || fail "activate = 0 is taken: $(cat "$work/said")"
says "activate = 0" "$at:15: activate = 0: some versions of OpenSSL then load gpuctr, others do not: write activate = 1"

# 3. The module's file.
wrong "a wrong path" 's#^module.*#module = /nowhere/gpuctr.so#' "$at:16: /nowhere/gpuctr.so is not there"
one_fault
wrong "a relative path" 's#^module.*#module = ./gpuctr.so#' \
  "/./gpuctr.so is not there: OpenSSL looks for ./gpuctr.so there and nowhere else: write the whole path"
wrong "a folder" "s#^module.*#module = $build#" "$at:16: $build is a folder: write the path of gpuctr.so in it"
wrong "a text" "s#^module.*#module = $work/good.cnf#" "$at:16: $work/good.cnf is not a module"
{ head -c 18 "$module" && printf '\xf3\x00' && tail -c +21 "$module"; } >"$work/other.so"
wrong "another architecture" "s#^module.*#module = $work/other.so#" "$work/other.so is a module for another kind of CPU"
library=$(ldd "$build/gpuctr-check" | awk '/libcrypto/ {print $3}')
if [ -n "${GPUCTR_WITH:-}" ]; then
  library=$("$GPUCTR_WITH" --list "$build/gpuctr-check" | awk '/libcrypto/ {print $3}')
fi
wrong "another library" "s#^module.*#module = $library#" "$library is a library, but not a provider"
head -c 4000 "$module" >"$work/short.so"
wrong "half a module" "s#^module.*#module = $work/short.so#" "$work/short.so is not complete: copy it again"
OPENSSL_MODULES=$work
export OPENSSL_MODULES
wrong "no module line, and not installed" '/^module/d' "$work/gpuctr.so is not there: install it there, or write module = "
unset OPENSSL_MODULES

# 4. The default provider.
wrong "[default]" 's/default_provider/default/' \
  "[default] is OpenSSL's name for the lines above the first section: call this section [default_provider]"
wrong "default not activated" '12,13d' 'default = default_provider: there is no section [default_provider]: add it'
wrong "default without activate" '13s/.*/# nothing/' "$at:12: [default_provider] does not activate the default provider"
wrong "default not listed" '/^default = /d' "$at:9: [providers] does not list the default provider: write default = default_provider"
wrong "defualt" 's/^default = /defualt = /' "$at:10: defualt: write default"

# 5. Sections that OpenSSL does not reach.
wrong "no openssl_conf" '2d' 'OpenSSL reads no section of this file: write openssl_conf = openssl_init above the first section'
wrong "openssl-conf" '2s/_/-/' "$at:2: openssl-conf: OpenSSL does not know this key: write openssl_conf"
wrong "openssl_conf too late" '2d; 20s/$/\n[late]\nopenssl_conf = openssl_init/' \
  "$at:21: openssl_conf: OpenSSL reads this line only above the first section, and it stands in [late]"
wrong "openssl_conf elsewhere" '2s/= .*/= openssl_int/' \
  "$at:2: openssl_conf = openssl_int: there is no section [openssl_int]: write openssl_conf = openssl_init"
wrong "no providers" '4d' "$at:3: [openssl_init] names no providers: write providers = providers in it"
wrong "provider" '4s/providers =/provider =/' "$at:4: provider: OpenSSL does not know this key: write providers"
wrong "providers elsewhere" '4s/= .*/= privoders/' "$at:4: providers = privoders: there is no section [privoders]: write providers = providers"
wrong "gpuctr not listed" '/^gpuctr = /d' "$at:9: [providers] does not list gpuctr: write gpuctr = gpuctr_provider in it"
wrong "gpuctr elsewhere" '11s/= .*/= gpuctr_sect/' \
  "$at:11: gpuctr = gpuctr_sect: there is no section [gpuctr_sect]: write gpuctr = gpuctr_provider"
wrong "gpuct" 's/^gpuctr =/gpuct =/; /^module/d' "$at:11: gpuct: OpenSSL looks for a module gpuct.so: write gpuctr"
sed '10s/$/\nother = other_provider/; 20s/$/\n[other_provider]\nactivate = 1/' "$work/good.cnf" >"$at"
check "$at"
[ "$status" = 1 ] || fail "another provider that does not load: $(cat "$work/said")"
says "another provider that does not load" "$at:11: other: this provider does not load: "
agrees "another provider that does not load" "$at"
wrong "a line that OpenSSL refuses" '8s/$/\nnonsense = 1/' "$at: OpenSSL refuses this file: "
# A bad value is reported even where OpenSSL would not have come to it.
wrong "two mistakes" '2d; s/= faster/= slower/' 'OpenSSL reads no section' 'algorithms = slower: it takes'

# 6. Random numbers and properties.
wrong "an absent provider" 's/^properties.*/properties = provider=gpuctl/' \
  "$at:19: random = LEA-256-CTR-DRBG: no provider that is loaded has it with properties = provider=gpuctl"
wrong "a misspelt generator" 's/CTR-DRBG/CTR-DBRG/' "$at:19: random = LEA-256-CTR-DBRG: no provider that is loaded has it"
wrong "propertes" 's/^properties/propertes/' "$at:20: propertes: OpenSSL does not know this key: write properties"
wrong "no [random]" '18s/random/randoms/' "$at:6: random = random: there is no section [random]: write random = randoms"
wrong "a query without ?" 's/= ?provider/= provider/' "default_properties = provider=gpuctr: no hash, not even SHA256, meets this"

# 7. Notes, which are no fault.
note() { # note NAME SED TEXT...
  sed "$2" "$work/good.cnf" >"$at"
  check "$at"
  [ "$status" = 0 ] || fail "$1: the status is $status: $(cat "$work/said")"
  says "$1" "${@:3}"
  agrees "$1" "$at"
}
note "a section twice" '20s/$/\n[gpuctr_provider]\nthreads = 3/' \
  "$at:21: note: [gpuctr_provider] comes again, after $at:14: OpenSSL joins the two"
note "a key twice" 's/= faster/= own\nalgorithms = all/' "$at:18: note: algorithms comes again, after $at:17: only the last line counts"
note "random forgotten" 6d "$at:17: note: OpenSSL does not read [random] without random = random: write that in [openssl_init]"
note "alg_section forgotten" 5d "$at:6: note: OpenSSL does not read [evp] without alg_section = evp"
note "a provider's section that is not used" '20s/$/\n[mine]\nactivate = 1/' "$at:21: note: OpenSSL does not read [mine]"
note "an unknown key" 's/= faster/= all\ncolour = red/' "$at:18: note: colour: gpuctr has no such key"
note ".include of nothing" "20s#\$#\n.include $work/none.cnf#" "$at:21: note: $work/none.cnf is not there"

# 8. Files in files, and continued lines: each line by the file and the number where it begins.
mkdir "$work/parts"
sed -n '14,$p' "$work/good.cnf" | sed 's/= faster/= LEA-128, \\\n  LEA-129\ntreads = 2/' >"$work/parts/ours.cnf"
{ sed 14,99d "$work/good.cnf" && echo ".include $work/parts"; } >"$at"
check "$at"
[ "$status" = 1 ] || fail "an included section: $(cat "$work/said")"
says "an included section" "$work/parts/ours.cnf:4: algorithms = LEA-128,   LEA-129: it takes" \
  "$work/parts/ours.cnf:6: treads: OpenSSL does not know this key: write threads"
{ sed 14,99d "$work/good.cnf" && echo ".pragma includedir:$work" && echo ".include = parts/ours.cnf"; } >"$at"
check "$at"
says "a folder of included files" "$work/parts/ours.cnf:4: algorithms = LEA-128,   LEA-129: it takes"

# 9. No such file, no configuration, misuse.
check "$work/none.cnf"
[ "$status" = 1 ] || fail "a file that is not there: $status"
says "no file" "gpuctr is not loaded: OpenSSL cannot read its configuration." "$work/none.cnf: No such file or directory"
printf 'openssl_conf = a\n[a\n' >"$at"
check "$at"
[ "$status" = 1 ] || fail "a heading without an end: $status"
says "a heading without an end" "$at:2: OpenSSL does not understand this line"
: >"$at"
check "$at"
[ "$status" = 1 ] || fail "an empty file: $status"
says "an empty file" 'OpenSSL reads no section of this file'
for words in '--nope' '-v' 'a b'; do
  status=0
  # shellcheck disable=SC2086
  "${with[@]}" "$build/gpuctr-check" $words >"$work/out" 2>"$work/said" || status=$?
  [ "$status" = 2 ] || fail "'$words': the status is $status"
  grep -q '^usage: gpuctr-check' "$work/said" || fail "'$words' shows no usage"
  [ ! -s "$work/out" ] || fail "'$words' prints to standard output"
done
"${with[@]}" "$build/gpuctr-check" --help | grep -q '^usage: gpuctr-check' || fail "--help"
echo "gpuctr-check: $cases files"
