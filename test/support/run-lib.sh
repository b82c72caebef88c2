# Functions of ./run: packages, configuring, building. Sourced, with the repository as working folder.
# shellcheck shell=bash

# shellcheck disable=SC2034  # the lists are used by ./run
BUILD_PACKAGES=(g++ cmake ninja-build libssl-dev openssl pkg-config python3)
# shellcheck disable=SC2034
AVR_PACKAGES=(gcc-avr avr-libc binutils-avr libsimavr-dev libelf-dev)
# shellcheck disable=SC2034
TEST_PACKAGES=(libgtest-dev libgmock-dev libbenchmark-dev libcrypto++-dev clang libclang-rt-14-dev
  verilator yosys z3 "${AVR_PACKAGES[@]}" nginx-light curl python3 python3-venv python3-cryptography libpython3.11-testsuite valgrind)

fail() {
  echo "run: $*" >&2
  exit 1
}

# Runs a command; shows what it printed only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    local rc=$?
    cat "$log" >&2
    rm -f "$log"
    echo "run: failed ($rc): $*" >&2
    return "$rc"
  fi
}

installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Installs the named Debian packages that are missing.
need() {
  local missing=() package
  command -v dpkg-query >/dev/null || return 0 # not Debian: cmake will name what it lacks
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" = 0 ] || fail "as root, install: ${missing[*]}"
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  quietly apt-get update
  quietly apt-get install -y --no-install-recommends "${missing[@]}"
}

build_dir() {
  if [ "$1" = release ]; then echo build; else echo "build-$1"; fi
}

# The CUDA compiler comes from PyPI where there is none and a card, or a wish for it.
need_for_cuda() {
  if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then return 0; fi
  case "$*" in
    *GPUCTR_CUDA=wheels*) need python3-pip ;;
    release*) if [ -e /dev/nvidia0 ]; then need python3-pip; fi ;;
  esac
}

configure() {
  need_for_cuda "$@"
  local preset=$1 log
  shift
  log=$(mktemp)
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  fi
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "cmake could not configure"
  fi
  grep -o 'gpuctr: .*' "$log" || true # our own one-line notes: CPU-only, no AVR compiler
  rm -f "$log"
}

build() {
  local dir
  dir=$(build_dir "$1")
  shift
  quietly cmake --build "$dir" ${1:+--target "$@"}
}

# One line on what the module can run on here.
machines_line() {
  if grep -q '^GPUCTR_CUDA_FOUND:[A-Z]*=\(1\|ON\|TRUE\)' build/CMakeCache.txt; then
    echo "CPU machines and CUDA"
  else
    echo "CPU machines, no CUDA"
  fi
}
