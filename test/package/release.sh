#!/usr/bin/env bash
# usage: release.sh FOLDER
# ./run release in two copies of the tree, whose folders have names of different lengths, under different settings of
# the user: every file is the same, byte for byte, and has what its name says. LEA only, to compile less.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
for tool in git dpkg-deb; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool" && exit 77; }
done
git -C "$source" rev-parse 2>/dev/null || { echo "skipped: not a git checkout" && exit 77; }
work=$(realpath -m "$1") # the same each time, so that ccache can know the files
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work"

fail() {
  echo "package.release: $*" >&2
  exit 1
}

# ccache may not make the paths of the two the same.
unset CCACHE_BASEDIR CCACHE_NOHASHDIR SOURCE_DATE_EPOCH
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@test GIT_AUTHOR_DATE='2001-02-03T04:05:06Z'
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@test GIT_COMMITTER_DATE='2001-02-03T04:05:06Z'

release() { # release FOLDER: build/release of a copy of the tree in it, of a commit that is the same in each
  mkdir "$work/$1"
  git -C "$source" ls-files -z | (cd "$source" && xargs -0 tar -c --ignore-failed-read -- 2>/dev/null) | tar -x -C "$work/$1"
  cd "$work/$1"
  git init -q
  git add -A
  chmod -R u=rwX,go=rX .
  git commit -qm 'A release'
  # -Wdate-time: the date is the same today.
  cmake --preset release -DGPUCTR_CIPHERS=lea -DGPUCTR_CUDA=OFF -DGPUCTR_TESTS=OFF -DGPUCTR_BENCH=OFF \
    -DGPUCTR_AVR=OFF -DCMAKE_CXX_FLAGS=-Werror=date-time >"$work/log" ||
    fail "$(cat "$work/log")"
  ./run release >"$work/log" 2>&1 || fail "$(cat "$work/log")"
}
(release one)
(umask 077 && export TZ=Asia/Seoul LC_ALL=C.UTF-8 && release of-another-length)

one=$work/one/build other=$work/of-another-length/build
cmp "$one/gpuctr.so" "$other/gpuctr.so" || fail "the module depends on the folder"
diff -r "$one/release" "$other/release" || fail "the release depends on the folder, the umask or the time of day"

cd "$one/release"
version=$(sed -n 's/^project(gpuctr VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
name=gpuctr-$version
sha256sum --check --quiet SHA256SUMS
[ "$(find . -type f | LC_ALL=C sort | paste -sd ' ')" = "$(printf '%s\n' ./SHA256SUMS "./$name.spdx.json" \
  "./$name.tar.gz" ./*.deb ./*.whl | LC_ALL=C sort | paste -sd ' ')" ] || fail "other files: $(ls)"
[ "$(wc -l <SHA256SUMS)" = 4 ] || fail "SHA256SUMS has not four lines"
tar -xzf "$name.tar.gz" -C "$work"
diff -r --no-dereference -x build -x .git "$work/$name" "$work/one" || fail "the source archive is not the commit"
python3 - "$name.spdx.json" "$version" <<'PYTHON' || fail "the SBOM lacks a part"
import json, sys
sbom = json.load(open(sys.argv[1], encoding="utf-8"))
parts = {p["name"]: p for p in sbom["packages"]}
kinds = {(r["relatedSpdxElement"], r["relationshipType"]) for r in sbom["relationships"]} | {
    (r["spdxElementId"], r["relationshipType"]) for r in sbom["relationships"]}
assert parts["gpuctr"]["versionInfo"] == sys.argv[2]
for name, kind in (("OpenSSL headers", "BUILD_DEPENDENCY_OF"), ("GoogleTest", "TEST_DEPENDENCY_OF"),
                   ("libstdc++.so.6", "DYNAMIC_LINK"), ("libcrypto.so.3", "DYNAMIC_LINK")):
    assert (parts[name]["SPDXID"], kind) in kinds, name
assert "CUDA runtime" not in parts
PYTHON

touch "$work/one/more"
status=0
(cd "$work/one" && ./run release) >"$work/log" 2>&1 || status=$?
[ "$status $(wc -l <"$work/log")" = "1 1" ] || fail "a tree with a file that is not committed: $status, $(cat "$work/log")"
echo "the same twice: $(cut -d ' ' -f 3 SHA256SUMS | paste -sd ' ')"
