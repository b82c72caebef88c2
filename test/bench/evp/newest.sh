#!/usr/bin/env bash
# usage: newest.sh BENCH ARGUMENT...
# A benchmark beside this machine's OpenSSL, and beside the newest that Debian has where its archive can be reached.
# Two tables, build/bench/NAME.json and build/bench/NAME-newest.json, whose path is the last argument of the second run.
set -euo pipefail
here=$(dirname "$0")
bench=$1
shift
"$bench"
newest=build/openssl-sid
status=0
bash "$here/../../versions/fetch-openssl.sh" "$newest" sid || status=$?
case $status in
  0) "$newest/with" "$bench" "$@" "build/bench/${bench##*bench_}-newest.json" ;;
  77) echo "Debian sid's archive cannot be reached: not compared with the newest OpenSSL" ;;
  *) exit "$status" ;;
esac
