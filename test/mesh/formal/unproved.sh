#!/usr/bin/env bash
# unproved.sh FOLDER SOURCES MODULE FILE TEXT REPLACEMENT PROPERTY: with that fault planted, the
# proof fails, at that property among others, and leaves a trace.
set -euo pipefail
folder=$1 sources=$2 module=$3 property=$7
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/../plant.sh" "$folder" "$sources" "$4" "$5" "$6"
rc=0
said=$(bash "$here/prove.sh" "$folder" "$module" "$folder/trace.vcd") || rc=$?
echo "$said"
[ $rc = 1 ] || { echo "the fault is not found" && exit 1; }
[ -s "$folder/trace.vcd" ] || { echo "no trace" && exit 1; }
grep -q "Assert failed.*$property" <<<"$said" || { echo "it does not name $property" && exit 1; }
