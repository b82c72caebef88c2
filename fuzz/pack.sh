#!/usr/bin/env bash
# usage: fuzz/pack.sh TARGET FOLDER...
# Makes fuzz/corpus/TARGET.tar.xz of the files in the folders. Each is named by its contents, so that the
# same inputs give the same archive, whoever packs them.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0" >&2 && exit 2; }
target=$1
shift
[ -f "fuzz/$target.cpp" ] || { echo "pack: there is no target '$target'" >&2 && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$target"
find "$@" -type f -print0 | while IFS= read -rd '' file; do
  sum=$(sha1sum <"$file")
  cp "$file" "$work/$target/${sum%% *}"
done
tar -C "$work" --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a=rX,u+w \
  -cf "$work/tar" "$target"
mkdir -p fuzz/corpus
xz -9e --threads=1 --stdout "$work/tar" >"fuzz/corpus/$target.tar.xz"
echo "fuzz/corpus/$target.tar.xz: $(find "$work/$target" -type f | wc -l) inputs"
