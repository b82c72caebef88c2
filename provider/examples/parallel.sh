#!/usr/bin/env bash
# Encrypts or decrypts one large file on many hosts by GNU parallel over ssh, with nothing but `openssl enc` on each:
#   parallel.sh SOURCE TARGET CIPHER IV KEY_FILE HOST[,HOST...]
#   parallel.sh /nfs/plain /nfs/sealed lea-256-ctr 000102030405060708090a0b0c0d0e0f /etc/key.hex node1,node2,node3
# SOURCE, the folder TARGET and KEY_FILE (hexadecimal) have the same names on every host; openssl.cnf there names the
# provider. Counter mode decrypts as it encrypts: give the same words with the parts joined (`cat TARGET/part-*`) as
# SOURCE. Begun again with the same words, it makes what is missing. A changed SOURCE is refused.
# `openssl enc` takes its key from the command line, so other users of a host see it in the list of processes; where
# there are any, take cluster.py.
set -euo pipefail
source=$1 target=$2 cipher=$3 iv=$4 key_file=$5 hosts=$6
range=${RANGE:-67108864} # bytes, a multiple of 16
block=$((${#iv} / 2))
case ${cipher,,} in *-ctr) ;; *) echo "parallel.sh: $cipher is not a cipher in counter mode" >&2 && exit 2 ;; esac
if [ $((range % block)) -ne 0 ]; then echo "parallel.sh: RANGE is no multiple of a block" >&2 && exit 2; fi

plan="$(stat -c '%s %Y %i' "$source") $range $cipher $iv"
mkdir -p "$target"
if [ ! -e "$target/plan" ]; then echo "$plan" >"$target/plan"; fi
if [ "$(cat "$target/plan")" != "$plan" ]; then
  echo "parallel.sh: $source has changed, or the words have, since $target was begun" >&2
  exit 1
fi
size=$(stat -c %s "$source")

# The work of a host: range $1. The IV of its first block is the message's, counted up by the blocks before it.
one_range() {
  local i=$1 part iv_here
  part=$target/part-$(printf %08d "$i")
  if [ -e "$part" ]; then return 0; fi
  iv_here=$(python3 -c 'import sys; iv, n = sys.argv[1:]; print("%0*x" % (len(iv), (int(iv, 16) + int(n)) % 16 ** len(iv)))' \
    "$iv" $((i * range / block)))
  dd if="$source" bs="$range" skip="$i" count=1 iflag=fullblock status=none |
    openssl enc "-$cipher" -K "$(cat "$key_file")" -iv "$iv_here" -out "$part.$$" || return 1
  if [ "$(stat -c '%s %Y %i' "$source")" != "${plan% "$range $cipher $iv"}" ]; then
    echo "$source has changed" >&2
    return 1
  fi
  mv "$part.$$" "$part" # there with all its bytes or not at all
}

# The words that a POSIX shell reads as $1.
quoted() { printf "'%s'" "${1//"'"/"'\\''"}"; }

# --retries sends a range to another host. A host's own shell and this one's need not be bash.
work="set -o pipefail; source=$(printf %q "$source") target=$(printf %q "$target") cipher=$cipher iv=$iv
key_file=$(printf %q "$key_file") range=$range block=$block plan=$(printf %q "$plan"); $(declare -f one_range); one_range"
bar=()
if [ -t 2 ]; then bar=(--bar); fi
ranges=$(((size + range - 1) / range))
export PARALLEL_SHELL=/bin/sh
seq 0 $((ranges - 1)) |
  parallel ${SSH:+--ssh "$SSH"} --sshlogin "$hosts" --jobs "${JOBS:-1}" "${bar[@]}" --retries 3 --halt soon,fail=1 \
    "bash -c $(quoted "$work \$1") one_range {}"
parts=$(find "$target" -name 'part-????????' | wc -l)
if [ "$parts" != "$ranges" ]; then echo "parallel.sh: $parts of $ranges parts were made" >&2 && exit 1; fi
