#!/usr/bin/env bash
# usage: run.sh [RUN_SCRIPT]
# ./run itself: what it does with mistyped words and on machines that lack something. It runs in a small
# tree of its own, with a project that builds in no time and with stand-ins for Debian's package tools.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
run=${1:-$source/run}
library=$(dirname "$run")/test/support/run-lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failures=0

wrong() {
  echo "package.run: $*" >&2
  sed 's/^/    /' "$work/said" >&2
  failures=$((failures + 1))
}

# A fresh tree; the project fails while there is a file `fail`, and leaves what it set in the cache.
new_tree() {
  rm -rf "$tree" "$work/tmp" "${work:?}/bin" "$work/root"
  mkdir -p "$tree"/test/{support,demo} "$work"/{tmp,bin,root/usr/sbin}
  cp "$run" "$tree/run"
  cp "$library" "$tree/test/support/"
  # shellcheck disable=SC2016
  echo 'echo "demo of $*"' >"$tree/test/demo/demo.sh"
  cat >"$tree/CMakePresets.json" <<'JSON'
{"version": 3, "configurePresets": [
  {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}]}
JSON
  cat >"$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES NONE)
set(KEPT no CACHE STRING "a setting of the user's")
set(SPOILT no CACHE STRING "what a failure leaves")
if(EXISTS ${CMAKE_SOURCE_DIR}/hang)
  set(SPOILT yes CACHE STRING "" FORCE)
  execute_process(COMMAND sleep 60)
endif()
if(EXISTS ${CMAKE_SOURCE_DIR}/fail OR SPOILT)
  set(SPOILT yes CACHE STRING "" FORCE)
  message(FATAL_ERROR "the tool's own words")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/gpuctr-check "#!/bin/sh\necho \"check of $*\"\nexit 1\n")
file(CHMOD ${CMAKE_BINARY_DIR}/gpuctr-check PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
add_custom_target(gpuctr-check COMMAND true)
if(EXISTS ${CMAKE_SOURCE_DIR}/slow)
  add_custom_target(quick COMMAND true)
  add_custom_target(gpuctr COMMAND sleep 4)
  add_dependencies(gpuctr quick)
else()
  add_custom_target(gpuctr COMMAND true)
endif()
CMAKE
  # shellcheck disable=SC2016
  stand_in dpkg-query 'case " ${MISSING:-} " in *" ${*: -1} "*) exit 1 ;; esac; printf installed'
  stand_in apt-get 'exit 0'
  stand_in id 'echo 0'
}
stand_in() { # stand_in NAME LINES: a program of that name, first on PATH
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# go WORD...: ./run in the tree. Its exit status goes to `status`, what it printed to files.
go() {
  status=0
  (cd "$tree" && PATH=$work/bin:$PATH TMPDIR=${temporary:-$work/tmp} DPKG_ROOT=$work/root ./run "$@") \
    >"$work/out" 2>"$work/err" </dev/null || status=$?
  { echo "./run $*: $status" && cat "$work/out" "$work/err"; } >"$work/said"
}
one_sentence() { # one_sentence TEXT: it failed, and said so in one line with this text
  [ "$status" = 1 ] || wrong "the status is $status, not 1"
  [ "$(wc -l <"$work/err")" = 1 ] || wrong "that is not one line"
  grep -q "^run: .*$1" "$work/err" || wrong "'$1' is not in what it said"
}

# 1. Words that it does not know: usage, 2, and nothing done.
new_tree
for words in nope 'build --nope' 'build --cuda more' 'build --cuda --no-cuda' 'check a b' 'check --nope' 'demo a b' 'demo --nope' 'test nope' \
  'test asan more' 'test fresh nope' 'test mutants 1 2 3' 'test mutants --nope' 'test mutants 1 x' \
  'prove nope' 'prove quick more' 'lint now' 'avr-example now' 'bench nope' 'bench cpu nope' 'fuzz nope' 'fuzz 0' 'fuzz 1 2' 'package it' \
  'coverage now' 'release now'; do
  # shellcheck disable=SC2086
  go $words
  [ "$status" = 2 ] || wrong "'$words' is taken"
  grep -q '^usage: ./run' "$work/err" || wrong "'$words' shows no usage"
  [ ! -e "$tree/build" ] || wrong "'$words' does something"
  rm -rf "$tree/build"
done
for words in '' help --help -h 'build --help' 'test --help' 'bench -h'; do
  # shellcheck disable=SC2086
  go $words
  [ "$status" = 0 ] || wrong "'$words' is no mistake"
  grep -q '^usage: ./run' "$work/out" || wrong "'$words' shows no usage"
  [ ! -e "$tree/build" ] || wrong "'$words' does something"
  rm -rf "$tree/build"
done

# 2. A configure that failed spoils nothing, neither a first one nor a later one.
new_tree
go build
[ "$status" = 0 ] || wrong "the small project does not build"
cmake -S "$tree" -B "$tree/build" -DKEPT=yes >/dev/null
touch "$tree/fail"
go build
[ "$status" = 1 ] || wrong "a configure that fails is taken"
grep -q "the tool's own words" "$work/err" || wrong "the tool's words are lost"
rm "$tree/fail"
go build
[ "$status" = 0 ] || wrong "a later configure that failed has spoilt build/"
grep -q KEPT:STRING=yes "$tree/build/CMakeCache.txt" || wrong "the user's setting is lost"
new_tree
touch "$tree/fail"
go build
rm "$tree/fail"
go build
[ "$status" = 0 ] || wrong "the first configure, which failed, has spoilt build/"

# The check's words and status are the program's own.
new_tree
go check some.cnf
[ "$status" = 1 ] || wrong "the status of gpuctr-check is lost"
[ "$(cat "$work/out")" = "check of some.cnf" ] || wrong "the output is not that of gpuctr-check"

# 3. The same when it was interrupted, and when the checkout was moved. No temporary file is left, and no
# process.
interrupt() { # interrupt FILE: ./run build, and Ctrl-C as soon as FILE is there
  (cd "$tree" && PATH=$work/bin:$PATH TMPDIR=$work/tmp exec setsid env --default-signal=INT ./run build) \
    >"$work/said" 2>&1 </dev/null &
  local pid=$! i
  for ((i = 0; i < 300; i++)); do
    if [ -s "$1" ]; then break; fi
    sleep 0.1
  done
  sleep 1
  kill -INT -- "-$pid"
  wait "$pid" || true
  sleep 0.5
  left=$(pgrep -r D,R,S -a -g "$pid" || true)
  [ -z "$left" ] || wrong "processes are left: $left"
  [ -z "$(ls -A "$work/tmp")" ] || wrong "temporary files are left: $(ls -A "$work/tmp")"
}
for first in fail ''; do
  new_tree
  if [ -z "$first" ]; then go build; fi
  stand_in sleep "echo \$\$ >'$work/sleeping'; exec $(command -v sleep) \"\$@\""
  rm -f "$work/sleeping"
  touch "$tree/hang"
  interrupt "$work/sleeping"
  rm "$tree/hang"
  go build
  [ "$status" = 0 ] || wrong "a configure that was interrupted has spoilt build/"
done
new_tree
stand_in sleep "echo \$\$ >'$work/sleeping'; exec $(command -v sleep) \"\$@\""
rm -f "$work/sleeping"
touch "$tree/slow"
interrupt "$work/sleeping"
new_tree
go build
mv "$tree" "$work/moved" && mkdir "$tree" && cp -r "$work/moved/." "$tree" && rm -rf "$work/moved"
sed -i "s|$tree|$work/elsewhere|" "$tree/build/CMakeCache.txt"
go build
[ "$status" = 0 ] || wrong "a checkout that was moved does not build"

# 4. The build says at intervals how far it is.
new_tree
touch "$tree/slow"
export GPUCTR_TICK=1
go build
grep -q '^building, since [0-9]* s: 1 of 2 steps, 50 %$' "$work/out" || wrong "the build does not say how far it is"
unset GPUCTR_TICK

# It says first how long it takes, counting the files that are not compiled yet, and then which it compiles. The
# compiler here takes two seconds for a file. A build that was interrupted goes on where it was.
new_tree
# shellcheck disable=SC2016
stand_in c++ 'for word in "$@"; do case $word in *.o) [ "$last" = -o ] && object=$word ;; esac; last=$word; done
case "${object:-}" in *first* | *second*) sleep 2; echo "$object" >>"$DPKG_ROOT/compiled" ;; esac
exec '"$(command -v c++)"' "$@"'
sed -i 's/LANGUAGES NONE/LANGUAGES CXX/; /EXISTS.*slow/,$d' "$tree/CMakeLists.txt"
echo 'add_library(gpuctr STATIC first.cpp second.cpp)' >>"$tree/CMakeLists.txt"
touch "$tree/first.cpp" "$tree/second.cpp"
export GPUCTR_TICK=1 CCACHE_DISABLE=1
go build
grep -qE '^2 files to compile: about [0-9]+ seconds on [0-9]+ cores?$' "$work/out" || wrong "it does not say how long"
grep -qE '^building, since [0-9]+ s: .*compiling .*(first|second)\.cpp' "$work/out" || wrong "it does not say what it compiles"
rm "$tree/build/CMakeFiles/gpuctr.dir/second.cpp.o" "$work/root/compiled"
go build
grep -qE '^1 file to compile' "$work/out" || wrong "it does not count what is left"
[ "$(wc -l <"$work/root/compiled")" = 1 ] || wrong "it does not go on where it was"
go build
if grep -q 'to compile' "$work/out"; then wrong "it announces a build where nothing is compiled"; fi
unset GPUCTR_TICK CCACHE_DISABLE

# CUDA: `build` and `demo` for this machine, the other commands for every architecture; words win, and stay. What
# was chosen for this machine is undone by the next command that needs everything, which says so.
cuda() { sed -n 's/^GPUCTR_CUDA:[A-Z]*=//p' "$tree/build/CMakeCache.txt"; }
anew='^build/ was configured for this machine only'
new_tree
echo 'set(GPUCTR_CUDA AUTO CACHE STRING "as in kernels/cmake/Cuda.cmake")' >>"$tree/CMakeLists.txt"
stand_in nvcc 'exit 0'
for command in build demo; do
  go $command
  [ "$(cuda)" = here ] || wrong "$command takes CUDA '$(cuda)'"
done
go package # which ends where there is no CPack
[ "$(cuda)" = AUTO ] || wrong "package keeps the demo's choice of CUDA"
grep -q "$anew" "$work/out" || wrong "package does not say that it configures anew"
go package
if grep -q "$anew" "$work/out"; then wrong "package configures anew without need"; fi
touch "$tree/build/gpuctr.so"
go demo
[ "$(cuda)" = AUTO ] || wrong "demo gives up a module that has every architecture"
go build --no-cuda
[ "$(cuda)" = OFF ] || wrong "--no-cuda is ignored"
for command in demo package; do
  go $command
  [ "$(cuda)" = OFF ] || wrong "$command forgets --no-cuda"
done
echo 'set(GPUCTR_CUDA_FOUND ON CACHE INTERNAL "")' >>"$tree/CMakeLists.txt"
go build --cuda
[ "$status $(cuda)" = "0 wheels" ] || wrong "--cuda is ignored"

# 5. `demo FILE` means the caller's FILE.
new_tree
echo data >"$work/file"
mkdir -p "$work/bin"
status=0
(cd "$work" && PATH=$work/bin:$PATH TMPDIR=$work/tmp "$tree/run" demo file) >"$work/said" 2>&1 || status=$?
grep -qx "demo of $work/file" "$work/said" || wrong "demo takes another file"
go demo "$work/not-there"
one_sentence 'not-there'

# 6. What a machine may lack: one sentence each.
new_tree
if [ ! -e /dev/nvidia0 ]; then
  go bench gpu
  one_sentence 'card'
fi
temporary=$work/nowhere
go build
one_sentence "$work/nowhere"
unset temporary
CXX=/nowhere/g++ go build
one_sentence '/nowhere/g++'
stand_in apt-get 'echo "E: Unable to locate package python3" >&2; echo "W: Failed to fetch" >&2; exit 100'
MISSING='python3' go demo
one_sentence 'network'
stand_in id 'echo 1000'
MISSING='g++ ninja-build' go build
one_sentence 'as root, install: g++ ninja-build'
stand_in id 'echo 0'

# 7. Before anything is installed, what and how large. apt-get names two packages for the one that is missing.
new_tree
# shellcheck disable=SC2016
stand_in apt-get 'case " $* " in
  *" --print-uris "*)
    echo "The following NEW packages will be installed:"
    printf "\047http://archive/%s.deb\047 %s_1.0_all.deb 1500000 SHA256:00\n" python3 python3 libpython3 libpython3 ;;
  *" update "*) ;;
  *) echo "$*" >>"$DPKG_ROOT/installed" ;;
esac'
# shellcheck disable=SC2016
stand_in apt-cache 'for name in "${@:3}"; do printf "Package: %s\nInstalled-Size: 4883\n" "$name"; done'
MISSING=python3 go demo
grep -qx 'needed and not installed: python3' "$work/out" || wrong "it does not say what is missing"
grep -qx 'installing 2 packages, 3 MB to load, 10 MB when installed' "$work/out" || wrong "it does not say how large"
grep -q 'install -y --no-install-recommends python3' "$work/root/installed" || wrong "python3 is not installed"
[ "$(wc -l <"$work/root/installed")" = 1 ] || wrong "it installs more than once"

# 8. No service starts while packages are installed, and nginx and openvpn are not left enabled; a policy of the
# machine's own comes back.
for own in yes no; do
  new_tree
  policy=$work/root/usr/sbin/policy-rc.d
  if [ $own = yes ]; then echo 'exit 7' >"$policy"; fi
  # shellcheck disable=SC2016
  stand_in apt-get 'if [ "$1" = update ]; then exit 0; fi
sh "$DPKG_ROOT/usr/sbin/policy-rc.d"
echo "$?" >"$DPKG_ROOT/policy"
touch "$DPKG_ROOT/servers"'
  # shellcheck disable=SC2016
  stand_in dpkg-query 'case ${*: -1} in
  nginx* | openvpn) [ -e "$DPKG_ROOT/servers" ] || exit 1 ;;
  python3) exit 1 ;;
esac
printf installed'
  # shellcheck disable=SC2016
  stand_in deb-systemd-helper 'echo "$*" >>"$DPKG_ROOT/disabled"'
  stand_in update-rc.d 'exit 0'
  go demo
  [ "$(cat "$work/root/policy")" = 101 ] || wrong "a service may start during the installation"
  for service in nginx openvpn; do
    grep -qx "disable $service.service" "$work/root/disabled" || wrong "$service is left enabled"
  done
  if [ $own = yes ]; then
    [ "$(cat "$policy")" = 'exit 7' ] || wrong "the machine's own policy is lost"
  else
    [ ! -e "$policy" ] || wrong "policy-rc.d is left behind"
  fi
  # A server that was there before is the administrator's affair.
  rm -f "$work/root/disabled"
  go demo
  [ ! -e "$work/root/disabled" ] || wrong "a server of the machine's own is disabled"
done

# The services of the machine stay forbidden until ./run's own end, however soon each command is done: the ticker
# beside it, which then has hardly begun, puts nothing back.
cat >"$work/ticks.sh" <<'TICKS'
set -euo pipefail
. "$1"
allow_services() { echo allowed; }
forbidden=yes
for _ in {1..600}; do watched waiting "$2" true; done
forbidden=
TICKS
bash "$work/ticks.sh" "$library" "$work/ticks.log" >"$work/said" 2>&1 || wrong "600 short commands fail"
[ ! -s "$work/said" ] || wrong "600 short commands leave something behind"

[ "$failures" = 0 ] || exit 1
echo "./run: unknown words, failed and interrupted configures, what a machine lacks, services"
