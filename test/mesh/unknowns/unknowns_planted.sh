#!/usr/bin/env bash
# unknowns_planted.sh FOLDER SOURCES FILE TEXT REPLACEMENT: unknowns.sh around a DES node with that
# fault in it.
set -euo pipefail
folder=$1 sources=$2
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/../plant.sh" "$folder" "$sources" "$3" "$4" "$5"
bash "$here/../netlist.sh" "$folder/netlist" "$folder" 0
exec bash "$here/unknowns.sh" "$folder/netlist/node.sv" 1 1
