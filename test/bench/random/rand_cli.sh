#!/usr/bin/env bash
# Random numbers through the command line: `openssl speed rand`, and `openssl rand` to nowhere and to
# a disk, of each generator of ours, of OpenSSL's own, and of one that does no work, which is what
# the commands themselves can reach. Prints two tables and writes build/bench/rand_cli.json.
#
# usage: rand_cli.sh
# GPUCTR_RAND_MB: megabytes to nowhere (2000), best of three, and, five times as many, to disk, once.
# GPUCTR_OPENSSL: the openssl to use (openssl)
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=test/support/openssl-cnf.sh
. test/support/openssl-cnf.sh
# shellcheck source=test/support/algorithms.sh
. test/support/algorithms.sh
openssl=${GPUCTR_OPENSSL:-openssl}
mb=${GPUCTR_RAND_MB:-2000}
out=build/bench
mkdir -p "$out"
scratch=$(mktemp -d "$PWD/$out/rand-XXXXXX") # on the disk that is measured
trap 'rm -rf "$scratch"' EXIT

mapfile -t generators < <(our_generators build)
names=("OpenSSL, AES-256" "${generators[@]}" "no work")
config() {
  local random=$1-CTR-DRBG module=$PWD/build/gpuctr.so
  case $1 in
    OpenSSL*) random=CTR-DRBG ;;
    "no work") random=NO-WORK-DRBG module=$PWD/build/test/bench/xor_ready.so ;;
  esac
  openssl_cnf "$module" "$random" >"$scratch/openssl.cnf"
  export OPENSSL_CONF=$scratch/openssl.cnf
}

now() { date +%s.%N; }
rate() { python3 -c "import sys; a = list(map(float, sys.argv[1:])); print(f'{a[0] / 1e3 / (a[2] - a[1]):.2f}')" "$@"; }

# rand_to TIMES FILE SIZE: GB/s of `openssl rand` of so many megabytes to a file, the best. 3.0 takes
# less than 2 GB a call.
rand_to() {
  local file=$2 size=$3 best=0 from to got
  for ((i = 0; i < $1; ++i)); do
    rm -f "$scratch/random"
    from=$(now)
    for ((left = size; left > 0; left -= 2000)); do
      "$openssl" rand $((left < 2000 ? left * 1000000 : 2000000000)) >>"$file"
    done
    case $file in /dev/*) ;; *) sync "$file" ;; esac
    to=$(now)
    got=$(rate "$size" "$from" "$to")
    best=$(python3 -c "print(max($best, $got))")
  done
  echo "$best"
}

printf '%s; speed rand in MB/s by the size of a request, openssl rand in GB/s\n\n' "$("$openssl" version)"
printf '%-17s %8s %8s %8s %8s %8s %8s   %8s %8s\n' generator '16 B' '64 B' '256 B' '1 KiB' '8 KiB' \
  '16 KiB' nowhere disk
printf '{\n' >"$out/rand_cli.json"
comma=
for name in "${names[@]}"; do
  config "$name"
  read -ra speed < <("$openssl" speed -seconds 1 -mr rand 2>/dev/null | sed -n 's/^+F:[^:]*:rand:/ /p' | tr ':' ' ')
  for i in "${!speed[@]}"; do speed[i]=$(python3 -c "print(f'{${speed[i]} / 1e6:.0f}')"); done
  nowhere=$(rand_to 3 /dev/null "$mb")
  disk=$(rand_to 1 "$scratch/random" $((5 * mb)))
  printf '%-17s %8s %8s %8s %8s %8s %8s   %8s %8s\n' "$name" "${speed[@]}" "$nowhere" "$disk"
  printf '%s"%s": {"speed_mbps": [%s], "nowhere_gbps": %s, "disk_gbps": %s}' "$comma" "$name" \
    "$(
      IFS=,
      echo "${speed[*]}"
    )" "$nowhere" "$disk" >>"$out/rand_cli.json"
  comma=$',\n'
done
printf '\n}\n' >>"$out/rand_cli.json"
echo
echo "written to $out/rand_cli.json"
