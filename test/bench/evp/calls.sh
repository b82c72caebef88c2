#!/usr/bin/env bash
# usage: calls.sh BENCH_CALLS
# Every way of calling, beside this machine's OpenSSL, and beside the newest that Debian has where its
# archive can be reached. Two tables, build/bench/calls.json and build/bench/calls-newest.json.
set -euo pipefail
here=$(dirname "$0")
bench=$1
"$bench"
newest=build/openssl-sid
status=0
bash "$here/../../versions/fetch-openssl.sh" "$newest" sid || status=$?
case $status in
  0) "$newest/with" "$bench" --chosen "" build/bench/calls-newest.json ;;
  77) echo "Debian sid's archive cannot be reached: not compared with the newest OpenSSL" ;;
  *) exit "$status" ;;
esac
