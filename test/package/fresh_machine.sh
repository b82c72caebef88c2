#!/usr/bin/env bash
# usage: fresh_machine.sh [RELEASE [COMMAND...]]
# The README's promise on a machine that has nothing: makes a bare Debian (debootstrap, minbase) of
# RELEASE (bookworm), copies the tracked files of this checkout into it, and runs `./run COMMAND` there
# for each COMMAND (demo, test), as root. A COMMAND with a space in it is a shell command instead. The
# packages come from the archive that this machine's own apt uses.
#
# FRESH_ROOT=DIR keeps the root in DIR and takes it from there when it exists; else it goes at the end.
# Everything is mounted in a mount namespace of its own, which ends with its last process: nothing
# stays mounted, however this ends.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
release=${1:-bookworm}
if [ $# -gt 0 ]; then shift; fi
commands=("$@")
if [ ${#commands[@]} -eq 0 ]; then commands=(demo test); fi

fail() {
  echo "fresh_machine: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "this needs root, for debootstrap and chroot"
if [ -z "${FRESH_NAMESPACE:-}" ]; then
  # shellcheck disable=SC1091,SC2016 # the placeholders are apt's
  FRESH_NAMESPACE=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$(. /etc/os-release && echo "$VERSION_CODENAME")" '$1 == suite {print $2; exit}')
  [ -n "$FRESH_NAMESPACE" ] || fail "apt has no source of this machine's own release"
  export FRESH_NAMESPACE
  exec unshare --mount --pid --fork --kill-child --propagation private bash "$0" "$release" "${commands[@]}"
fi
archive=$FRESH_NAMESPACE

if [ -n "${FRESH_ROOT:-}" ]; then
  mkdir -p "$FRESH_ROOT"
  root=$(cd "$FRESH_ROOT" && pwd)
else
  root=$(mktemp -d /var/tmp/gpuctr-fresh.XXXXXX)
fi
clean_up() {
  local status=$?
  # /run/netns is a mount once OpenVPN's test has made network namespaces.
  umount -l "$root/run/netns" "$root/proc" "$root/dev" 2>/dev/null || true
  if [ -z "${FRESH_ROOT:-}" ]; then rm -rf --one-file-system "$root"; fi
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

if [ ! -e "$root/complete" ]; then
  echo "$release: making a bare root"
  debootstrap --variant=minbase "$release" "$root" "$archive" >"$root.log" 2>&1 ||
    { tail -n 5 "$root.log" >&2 && rm -f "$root.log" && fail "debootstrap could not make $release"; }
  rm -f "$root.log"
  # How this machine reaches the archive, where that takes a proxy.
  apt-config dump | grep -E '^Acquire::[a-z]+::Proxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
  : >"$root/complete"
fi
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
rm -rf "$root/gpuctr"
mkdir "$root/gpuctr"
cd "$here"
git ls-files -z | while IFS= read -rd '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar -C "$here" --null --files-from=- -c | tar -x --no-same-owner -C "$root/gpuctr"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

in_root() {
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$root" bash -c "cd /gpuctr && $1"
}
for command in "${commands[@]}"; do
  echo "== $release: $command ($(date +%T))"
  case $command in
    *' '*) in_root "$command" ;;
    *) in_root "./run $command" ;;
  esac || fail "$release: '$command' failed"
done

# A server that came with the tests' packages must not come up by itself at the next start.
enabled=$(find "$root"/etc/systemd/system "$root"/etc/rc?.d \( -name '*nginx*' -o -name '*openvpn*' \) \
  ! -name 'K*' 2>/dev/null || true)
[ -z "$enabled" ] || fail "$release: a server was left enabled: $enabled"
[ ! -e "$root/usr/sbin/policy-rc.d" ] || fail "$release: policy-rc.d was left behind"
echo "$release: ${commands[*]}: all well"
