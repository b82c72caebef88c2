#!/usr/bin/env bash
# usage: lint.sh [FILE...]
# Formatting, spelling, shell scripts and lengths of the FILEs, which is what pre-commit asks for. Without FILEs, of the
# whole tree, and also licences, full folders and clang-tidy. Prints only what is wrong.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(git ls-files); fi
named() { printf '%s\n' "${files[@]}" | grep -E "$1" || true; }

mapfile -t sources < <(named '\.(h|cpp|c|cu|cuh)$')
[ ${#sources[@]} -eq 0 ] || clang-format --dry-run -Werror "${sources[@]}"
codespell "${files[@]}"
mapfile -t scripts < <(named '\.sh$|^(\.ci/)?run$')
[ ${#scripts[@]} -eq 0 ] || shellcheck -x "${scripts[@]}"
mapfile -t ours < <(named '^(provider|drbg|kernels|test|fuzz|avr-ref)/.*\.(h|cpp|c|cu|cuh|S|inc|sh|py)$' | grep -v '^test/vectors/')
[ ${#ours[@]} -eq 0 ] || wc -l "${ours[@]}" |
  awk '$2 != "total" && $1 > 500 {print $2 ": " $1 " lines, at most 500"; long = 1} END {exit long}' >&2
[ $# -eq 0 ] || exit 0

# nvcc puts a hash of the file's path into names with internal linkage, and so into the module.
if git grep -nE '^(namespace \{|__device__ const )' -- 'kernels/*.cu' 'kernels/*.cuh' >&2; then exit 1; fi
licences=$(reuse lint 2>/dev/null) || { echo "$licences" >&2 && exit 1; }

full=$(git ls-files | grep -v '/fixtures/' | grep / | xargs -n 1 dirname | sort | uniq -c |
  awk '$1 > 25 {print $2 ": " $1 " files, at most 25"}')
[ -z "$full" ] || { echo "$full" >&2 && exit 1; }

# The units of this machine's build: not NEON's on x86.
mapfile -t units < <(git ls-files 'provider/*.cpp' 'drbg/*.cpp' 'kernels/*.cpp' |
  while read -r unit; do ! grep -q "\"file\": \"$PWD/$unit\"" build/compile_commands.json || echo "$unit"; done)
# One unit a process: clang-tidy 14 takes va_list for uninitialised in the second of several units. Clang does not know
# GCC's strategies of memset and memcpy.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/ -mmem[a-z]*-strategy=[^ ]*//g' build/compile_commands.json >"$work/compile_commands.json"
if ! printf '%s\n' "${units[@]}" | xargs -P 2 -n 1 clang-tidy -p "$work" --quiet >"$work/log" 2>/dev/null; then
  cat "$work/log" >&2
  exit 1
fi
echo "lint: ${#sources[@]} sources and ${#scripts[@]} scripts are clean"
