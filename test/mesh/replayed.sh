#!/usr/bin/env bash
# replayed.sh BUILD PROGRAM [OPTION]...: runs a test program. If it fails, PROGRAM_wave is built,
# which is the same with waveforms, and run again from the same seed; its waveform begins at what
# failed.
set -euo pipefail
build=$1 program=$2
shift 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rc=0
"$build/test/mesh/$program" "$@" >"$log" || rc=$?
cat "$log"
[ "$rc" = 1 ] || exit "$rc"
wave=$build/test/mesh/waves/$program.vcd
mkdir -p "${wave%/*}"
rm -f "$wave"
cmake --build "$build" --target "${program}_wave" >"$log.build" 2>&1 ||
  { cat "$log.build"; exit 1; }
rm -f "$log.build"
read -r -a again <<<"$(sed -n 's/^replay: //p' "$log")"
"$build/test/mesh/${program}_wave" "$@" "${again[@]}" --waveform "$wave" >"$log" || true
echo "replayed: $(grep -E "wrong|fails" "$log")"
echo "waveform: $wave, $(stat -c %s "$wave") bytes"
exit 1
