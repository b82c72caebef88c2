#!/usr/bin/env bash
# found.sh REGEX... -- COMMAND...: right if the command fails and says all this.
set -uo pipefail
regexes=()
while [ "$1" != -- ]; do
  regexes+=("$1")
  shift
done
shift
said=$("$@" 2>&1)
rc=$?
echo "$said"
[ $rc = 1 ] || exit 1
for regex in "${regexes[@]}"; do
  grep -Eq -- "$regex" <<<"$said" || { echo "it does not say: $regex" && exit 1; }
done
