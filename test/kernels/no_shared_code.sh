#!/usr/bin/env bash
# No SIMD backend's object file may hold code that the linker could share with another file: it is
# compiled for an instruction set that other CPUs lack. Argument: the archive of the backends.
set -euo pipefail
nm "$1" | awk '
  /\.o:$/ { file = $1; ours = file ~ /^(sse|avx|neon)[a-z0-9_]*_[a-z0-9]+\.cpp/; if (ours) seen++; next }
  $3 ~ /^DW\.ref\./ { next }  # data: clang shares its pointer to the exception handler
  ours && $2 ~ /^[WVuT]$/ { print file, "shares", $3; bad = 1 }  # weak, unique, or a global function
  END { if (!seen) print "no SIMD backend in the archive"; exit bad || !seen }'
