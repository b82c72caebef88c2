#!/usr/bin/env bash
# usage: module_imports.sh MODULE [cuda]
# The module imports nothing that allocates by throwing: where memory is out, a throw may end the
# process (provider/module.cpp). Nor does it have thread-local data, for the same reason; NVIDIA's runtime, linked
# into a module with CUDA, does.
set -u
module=$1
throwing='_Zn[wa]|__cxa_(allocate_exception|throw|rethrow|begin_catch)$|_ZSt[0-9]+__throw_(bad_alloc|length)|basic_string'
found=$(nm -D --undefined-only "$module" | awk '{sub(/@.*/, "", $2); print $2}' | grep -E "$throwing" | c++filt)
# Where a noexcept function meets an exception, code of Clang calls __cxa_begin_catch and ends the process.
caught=$(objdump -d --no-show-raw-insn "$module" | awk '/^[0-9a-f]+ </ {within = $2}
  /<__cxa_begin_catch/ && within !~ /__clang_call_terminate|__cxa_begin_catch/ {print within}' | sort -u)
[[ -n $caught ]] || found=$(grep -v '^__cxa_begin_catch$' <<<"$found")
tls=$(readelf -lW "$module" | grep -w TLS)
exports=$(nm -D --defined-only "$module" | awk '$3 != "OSSL_provider_init" {print $3}')
[[ ${2:-} != cuda ]] || tls=
[[ -z $found ]] || printf 'imports: %s\n' "$found"
[[ -z $tls ]] || printf 'thread-local data: %s\n' "$tls"
[[ -z $exports ]] || printf 'exports: %s\n' "$exports"
[[ -z $found && -z $tls && -z $exports ]]
