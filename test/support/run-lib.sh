# Functions of ./run: packages, configuring, building. Sourced, with the repository as working folder.
# shellcheck shell=bash

# shellcheck disable=SC2034  # the lists are used by ./run
BUILD_PACKAGES=(g++ cmake ninja-build libssl-dev openssl pkg-config python3)
# shellcheck disable=SC2034
AVR_PACKAGES=(gcc-avr avr-libc binutils-avr libsimavr-dev libelf-dev)
# shellcheck disable=SC2034
CLANG_PACKAGES=(clang libclang-rt-dev) # the runtime of whatever clang the release has
# shellcheck disable=SC2034
TEST_PACKAGES=(libgtest-dev libgmock-dev libbenchmark-dev libbotan-2-dev libcrypto++-dev libgcrypt20-dev
  "${CLANG_PACKAGES[@]}"
  "${AVR_PACKAGES[@]}" cryptsetup-bin curl file gpg gpg-agent iproute2 iverilog man-db nginx-light nodejs openssh-client
  openvpn parallel python3 python3-cryptography python3-venv ruby valgrind verilator xz-utils yosys z3)

fail() {
  echo "run: $*" >&2
  exit 1
}

# Runs a command; shows what it printed only if it fails.
quietly() {
  local said rc=0
  said=$("$@" 2>&1) || rc=$?
  [ "$rc" = 0 ] || { echo "$said" >&2 && echo "run: failed ($rc): $*" >&2; }
  return "$rc"
}

# What must not be left behind, however this ends: bash runs it after Ctrl-C as well. Not in a child that a
# signal finds before it has forgotten this shell's traps.
ticker=
forbidden=
guarded=
clean_up() {
  [ "$BASHPID" = "$guarded" ] || return 0
  stop_ticker
  if [ -n "$forbidden" ]; then allow_services; fi
}
guard() {
  guarded=$BASHPID
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# The ticker of `watched` ends with its input: see there.
stop_ticker() {
  [ -n "$ticker" ] || return 0
  exec {never}>&-
  wait "$ticker" 2>/dev/null || true
  ticker=
}

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The tests of Debian's Python, whose package carries the version: libpython3.11-testsuite.
python_tests() {
  command -v dpkg-query >/dev/null || return 0
  local version
  version=$(dpkg-query -W -f='${Depends}' python3 2>/dev/null | grep -o 'python3\.[0-9]*' | head -n 1)
  [ -z "$version" ] || echo "lib$version-testsuite"
}

# A server that is installed for its test alone must neither start nor be enabled for the next boot.
# Debian asks policy-rc.d before it starts a service; DPKG_ROOT is dpkg's own name for another root.
policy=${DPKG_ROOT:-}/usr/sbin/policy-rc.d
forbid_services() {
  if [ -e "$policy" ] || [ -L "$policy" ]; then mv "$policy" "$policy.before-gpuctr"; fi
  forbidden=yes
  guard
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
}
allow_services() {
  forbidden=
  rm -f "$policy"
  if [ -e "$policy.before-gpuctr" ] || [ -L "$policy.before-gpuctr" ]; then
    mv "$policy.before-gpuctr" "$policy"
  fi
}
disable_service() {
  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper disable "$1.service"; fi
  if command -v update-rc.d >/dev/null; then update-rc.d "$1" disable; fi
}

# cost PACKAGE...: how many packages apt would install for these, how much it would load, and how much they take.
cost() {
  local uris names kilobytes
  uris=$(apt-get install -y --no-install-recommends --print-uris "$@" 2>/dev/null | grep "^'" || true)
  names=$(awk '{split($2, part, "_"); print part[1]}' <<<"$uris" | grep . || true)
  # shellcheck disable=SC2086 # a word for each package
  kilobytes=$(apt-cache show --no-all-versions $names 2>/dev/null | awk '/^Installed-Size:/ {n += $2} END {print n + 0}' || true)
  awk -v kilobytes="${kilobytes:-0}" '/./ {++n; bytes += $3} END {
    printf "%d packages, %.0f MB to load, %.0f MB when installed\n", n, bytes / 1e6, kilobytes * 1024 / 1e6}' <<<"$uris"
}

# Installs the named Debian packages that are missing.
need() {
  local missing=() package log=build/packages.log new=() service
  command -v dpkg-query >/dev/null || return 0 # not Debian: cmake will name what it lacks
  for package in "$@"; do
    [ -z "$package" ] || installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" = 0 ] || fail "as root, install: ${missing[*]}"
  for service in nginx-common:nginx openvpn:openvpn; do
    installed "${service%:*}" || new+=("$service")
  done
  echo "needed and not installed: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  mkdir -p build
  forbid_services
  # A source that is broken need not be the one that has the packages.
  watched "asking for packages" "$log" apt-get update || true
  echo "installing $(cost "${missing[@]}")"
  if ! watched installing "$log" apt-get install -y --no-install-recommends "${missing[@]}"; then
    allow_services
    if grep -qiE 'failed to fetch|unable to locate package|no installation candidate' "$log"; then
      fail "the package archive has not given ${missing[*]}: is there a network? ($log)"
    fi
    fail "apt-get could not install ${missing[*]}: see $log"
  fi
  for service in "${new[@]}"; do
    if installed "${service%:*}"; then disable_service "${service#*:}" >>"$log" 2>&1 || true; fi
  done
  allow_services
}

build_dir() {
  if [ "$1" = release ]; then echo build; else echo "build-$1"; fi
}

have_card() { [ -e /dev/nvidia0 ]; }

# The CUDA compiler comes from PyPI where there is none and a card, or `--cuda`.
need_for_cuda() {
  if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then return 0; fi
  case "$*" in
    *GPUCTR_CUDA=OFF*) return 0 ;;
    *GPUCTR_CUDA=wheels*) ;;
    release*) have_card || return 0 ;;
    *) return 0 ;;
  esac
  need python3-pip
  if [ ! -e build/cuda-wheels/complete ]; then
    echo "taking the CUDA compiler from PyPI into build/cuda-wheels: 5 packages, 104 MB to load"
  fi
}

need_tools() {
  local tool
  for tool in cmake ninja; do
    command -v "$tool" >/dev/null || fail "there is no $tool on PATH: install it"
  done
  if [ -n "${CXX:-}" ]; then
    command -v "${CXX%% *}" >/dev/null || fail "there is no C++ compiler '$CXX', which CXX names"
  else
    command -v c++ g++ clang++ >/dev/null || fail "there is no C++ compiler on PATH: install g++"
  fi
}

# cached NAME DIR: what DIR/CMakeCache.txt has for it.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$2/CMakeCache.txt" 2>/dev/null || true; }

# cuda_here [--cuda|--no-cuda]: the setting of CUDA for `build` and `demo`, into `cuda`. Without a word:
# `here`, which is this machine's card and no other (kernels/cmake/Cuda.cmake). A build folder that has a
# module for all architectures, or that was told --no-cuda, keeps its setting.
cuda_here() {
  local before
  before=$(cached GPUCTR_CUDA build)
  case ${1:-} in
    --cuda) cuda=wheels ;;
    --no-cuda) cuda=OFF ;;
    *)
      cuda=here
      if [ "$before" = OFF ] || { [ -e build/gpuctr.so ] && [[ $before =~ ^(AUTO|wheels)$ ]]; }; then
        cuda=$before
      fi
      ;;
  esac
}

# The other commands take all architectures: they undo the choice of `build` and `demo`, and say so.
cuda_everywhere() {
  if [ "$(cached GPUCTR_CUDA build)" = here ]; then
    cuda=AUTO
    echo "build/ was configured for this machine only: configuring it anew, for every architecture if there is nvcc"
  fi
}

# Whether cmake can go on from what DIR has: it is this checkout's, and its compiler is still there.
usable() {
  [ -e "$1/build.ninja" ] && [ -e "$1/CMakeCache.txt" ] || return 1
  [ "$(cached CMAKE_HOME_DIRECTORY "$1")" -ef . ] || return 1
  [ "$(cached CMAKE_GENERATOR "$1")" = Ninja ] || return 1
  local compiler
  compiler=$(cached CMAKE_CXX_COMPILER "$1")
  [ -z "$compiler" ] || command -v "$compiler" >/dev/null
}

# A configure that failed or was interrupted leaves its settings in the cache, where they would spoil
# the next. DIR/CMakeCache.before, there while one runs, is the cache as it was.
undo_configure() {
  [ -e "$1/CMakeCache.before" ] || return 0
  if [ -s "$1/CMakeCache.before" ]; then
    mv "$1/CMakeCache.before" "$1/CMakeCache.txt"
  else
    rm -rf "$1/CMakeFiles" "$1/CMakeCache.txt" "$1/CMakeCache.before"
  fi
}

# configure PRESET [here]: `here`, where `cuda` has the setting of CUDA already.
configure() {
  local preset=$1 dir log setting
  if [ "$preset" = release ]; then
    if [ "${2:-}" != here ]; then
      cuda=
      cuda_everywhere
    fi
    set -- "$preset" ${cuda:+"-DGPUCTR_CUDA=$cuda"}
  fi
  # Set by .ci/run; the first, by which warnings are errors, also by those who change the code.
  for setting in GPUCTR_WERROR GPUCTR_CUDA_ARCHS; do
    if [ -n "${!setting:-}" ]; then set -- "$@" "-D$setting=${!setting}"; fi
  done
  need_for_cuda "$@"
  need_tools
  dir=$(build_dir "$preset")
  log=$dir/configure.log
  shift
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  fi
  mkdir -p "$dir"
  undo_configure "$dir"
  if usable "$dir"; then
    cp "$dir/CMakeCache.txt" "$dir/CMakeCache.before"
  else
    : >"$dir/CMakeCache.before"
    rm -rf "$dir/CMakeCache.txt" "$dir/CMakeFiles" # cmake --fresh, which 3.22 does not know
  fi
  if ! watched configuring "$log" cmake --preset "$preset" "$@"; then
    cat "$log" >&2
    undo_configure "$dir"
    fail "cmake could not configure"
  fi
  rm "$dir/CMakeCache.before"
  grep -o 'gpuctr: .*' "$log" || true # our own one-line notes: CPU-only, no AVR compiler
}

# The sources that compilers read in a folder at this moment, by name. From /proc: a bare Debian has no ps.
compiling() {
  local process
  for process in /proc/[0-9]*; do
    if [ "$process/cwd" -ef "$1" ]; then
      tr '\0' '\n' 2>/dev/null <"$process/cmdline" | sed -nE '/^-c$/{n;/\.(cpp|cu|c)$/s|.*/||p;}' || true
    fi
  done | sort -u | head -n 4 | paste -sd ' '
}

# progress LOG: its last line; of Ninja's, "[50/102] ...", how far the build is and which files it compiles.
progress() {
  local now
  case $1 in */build.log) now=$(compiling "${1%/*}") ;; esac
  # Until a first step is done, Ninja says nothing.
  # shellcheck disable=SC2005 # one line in any case
  echo "$(tail -n 1 "$1" | cut -c 1-90)" | awk -v now="${now:-}" 'match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      printf "%d of %d steps, %d %%", step[1], step[2], 100 * step[1] / step[2]
      print now == "" ? "" : ", compiling " now
      next
    }
    {print $0 ($0 == "" && now != "" ? "compiling " now : "")}'
}

# tick WHAT LOG START: says at intervals how far it is, until its input ends: on a terminal in one line,
# which each second begins anew. read, not sleep: a program of its own would outlive this one. The end, not a
# signal, which could come before it has traps of its own, and not a line, which a read that runs out of time
# at that moment takes and loses.
tick() {
  local status line interval=10
  if [ -t 1 ]; then interval=1; fi
  while :; do
    status=0
    read -rt "${GPUCTR_TICK:-$interval}" || status=$?
    if [ "$status" -le 128 ]; then break; fi
    line="$1, since $((SECONDS - $3)) s: $(progress "$2")"
    if [ -t 1 ]; then printf '\r\033[K%s' "${line:0:$(($(terminal_columns) - 1))}"; else echo "$line"; fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}
terminal_columns() {
  local size
  size=$(stty size <&1 2>/dev/null) || size="24 80"
  if [ "${size#* }" -gt 10 ]; then echo "${size#* }"; else echo 80; fi
}

# watched WHAT LOG COMMAND...: its output goes to the log. While it is silent for long, a line says at
# intervals how far it is.
watched() {
  local what=$1 log=$2 status=0 start=$SECONDS
  shift 2
  : >"$log"
  guard
  exec {never}> >(tick "$what" "$log" "$start")
  ticker=$!
  "$@" {never}>&- >"$log" 2>&1 || status=$?
  stop_ticker
  return "$status"
}

# expected DIR TARGET...: a sentence on how long the build takes, from the objects that are missing or older
# than their source: 2 seconds of a core for a file of C++, 8 for each architecture of a file of CUDA (Zen 4
# at 3.7 GHz). Nothing where nothing is compiled. A dry run of Ninja would end at CMake's check of its globs.
expected() {
  local dir=$1 architectures plain=0 cuda=0 object source
  architectures=$(cached GPUCTR_CUDA_BUILT_ARCHS "$dir" | tr ';' '\n' | grep -c .) || true
  while read -r object source; do
    if [ -e "$dir/$object" ] && [ ! "$source" -nt "$dir/$object" ]; then continue; fi
    case $source in *.cu) cuda=$((cuda + 1)) ;; *) plain=$((plain + 1)) ;; esac
  done < <(ninja -C "$dir" -t commands "${@:2}" 2>/dev/null |
    sed -nE 's/.* -o ([^ ]+\.o) -c ([^ ]+).*/\1 \2/p; s/.* -c ([^ ]+) -o ([^ ]+\.o).*/\2 \1/p')
  awk -v files=$((plain + cuda)) -v work=$((2 * plain + 8 * cuda * architectures)) -v cores="$(nproc)" 'BEGIN {
    if (files == 0) exit
    seconds = work / (files < cores ? files : cores) + 5
    printf "%d file%s to compile: about ", files, files == 1 ? "" : "s"
    if (seconds < 90) printf "%d seconds", 10 * int(seconds / 10 + 0.99)
    else printf "%d minutes", int(seconds / 60 + 0.5)
    printf " on %d core%s\n", cores, cores == 1 ? "" : "s"
  }'
}

build() {
  local dir
  dir=$(build_dir "$1")
  shift
  expected "$dir" "$@"
  watched building "$dir/build.log" cmake --build "$dir" ${1:+--target "$@"} || {
    cat "$dir/build.log" >&2
    fail "the build failed"
  }
}

with_cuda() { grep -q '^GPUCTR_CUDA_FOUND:[A-Z]*=\(1\|ON\|TRUE\)' build/CMakeCache.txt; }

# One line on what the module can run on here.
backends_line() {
  if with_cuda; then echo "CPU backends and CUDA"; else echo "CPU backends, no CUDA"; fi
}

# The time that files in the package have, in seconds: the commit's. `git archive` gives it to its files, so that
# the unpacked source archive makes the same package.
source_date() {
  if [ -e .git ] && git log -1 --format=%ct 2>/dev/null; then return 0; fi
  stat -c %Y CMakeLists.txt
}
