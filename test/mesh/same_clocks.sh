#!/usr/bin/env bash
# same_clocks.sh PROGRAM PROGRAM [OPTION]...: both are right, and take the same clocks for every
# job.
set -euo pipefail
one=$1 other=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$one" "$@" --clocks "$work/one"
"$other" "$@" --clocks "$work/other"
[ -s "$work/one" ]
diff "$work/one" "$work/other"
