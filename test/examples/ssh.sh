#!/usr/bin/env bash
# usage: ssh.sh BUILD_DIR
# provider/examples/parallel.sh over ssh: two hosts are one sshd of this machine, by two names; a third refuses. The
# parts are those of one `openssl enc`. sshd comes from Debian's package, unpacked and not installed, listens on
# 127.0.0.1 alone and takes one key, made here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/support/openssl-cnf.sh
. "$here/../support/openssl-cnf.sh"
skip() {
  echo "skipped: $*" >&2
  exit 77
}
for program in parallel ssh ssh-keygen python3; do command -v "$program" >/dev/null || skip "there is no $program"; done
build=$(cd "$1" && pwd)
work=$(mktemp -d)
sshd=
clean_up() {
  if [ -n "$sshd" ] && kill "$sshd" 2>/dev/null; then wait "$sshd" || true; fi
  rm -rf "$work"
}
trap clean_up EXIT
fail() {
  echo "examples.ssh: $*" >&2
  tail -n 20 "$work"/said "$work"/sshd.log >&2
  exit 1
}
: >"$work/said"
: >"$work/sshd.log"

bash "$here/../support/unpack-debian.sh" "$work/debian" "" main openssh-server libwrap0 libnsl2 # 77 without a network
libraries=$(dirname "$(find "$work/debian" -name 'libwrap.so.0' | head -n 1)")
missing=$(LD_LIBRARY_PATH=$libraries ldd "$work/debian/usr/sbin/sshd" | sed -n 's/ => not found//p')
[ -z "$missing" ] || skip "sshd lacks ${missing//$'\n'/}"

openssl_cnf "$build/gpuctr.so" >"$work/cnf"
for key in host user; do ssh-keygen -q -t ed25519 -N '' -C test -f "$work/$key"; done
cp "$work/user.pub" "$work/authorized"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$work/host.pub")" >"$work/known"
cat >"$work/sshd.cnf" <<SSHD
ListenAddress 127.0.0.1:$port
HostKey $work/host
AuthorizedKeysFile $work/authorized
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
PrintMotd no
SetEnv OPENSSL_CONF=$work/cnf
SSHD
cat >"$work/ssh.cnf" <<SSH
Host one two
  HostName 127.0.0.1
  Port $port
Host down
  HostName 127.0.0.1
  Port 1
Host *
  IdentityFile $work/user
  IdentitiesOnly yes
  UserKnownHostsFile $work/known
  BatchMode yes
SSH

# As root, sshd wants a user of its own and a folder; both exist in a mount namespace alone. From OpenSSH 9.8 on it
# runs a program of its package by an absolute name.
own_files() {
  cp /etc/passwd "$1/passwd" && echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >>"$1/passwd"
  mount --bind "$1/passwd" /etc/passwd && mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/sshd
  if [ -d "$1/debian/usr/lib/openssh" ] && [ -d /usr/lib/openssh ]; then
    mount --bind "$1/debian/usr/lib/openssh" /usr/lib/openssh
  fi
}
serve=(env "LD_LIBRARY_PATH=$libraries" "$work/debian/usr/sbin/sshd" -D -e -f "$work/sshd.cnf")
if [ "$(id -u)" = 0 ]; then
  unshare --mount true 2>/dev/null || skip "mount namespaces cannot be made"
  unshare --mount bash -c "set -e; $(declare -f own_files); own_files $work; exec ${serve[*]}" 2>"$work/sshd.log" &
else
  "${serve[@]}" 2>"$work/sshd.log" &
fi
sshd=$!
for _ in $(seq 100); do
  if ssh -F "$work/ssh.cnf" one true 2>"$work/said"; then break; fi
  kill -0 "$sshd" 2>/dev/null || fail "sshd has ended"
  sleep 0.1
done
ssh -F "$work/ssh.cnf" one true || fail "nobody can log in"

key=000102030405060708090a0b0c0d0e0f iv=ffffffffffffffffffffffffffffff00 cipher=lea-128-ctr
echo "$key" >"$work/key"
source="$work/it's plain \$1" # a name that two shells could misread
openssl rand -out "$source" 1000003
OPENSSL_CONF=$work/cnf openssl enc "-$cipher" -K "$key" -iv "$iv" -in "$source" -out "$work/stock"
logins=$(grep -c 'Accepted publickey' "$work/sshd.log")
SSH="ssh -F $work/ssh.cnf" RANGE=131072 HOME=$work bash "$here/../../provider/examples/parallel.sh" \
  "$source" "$work/sealed" "$cipher" "$iv" "$work/key" one,two,down >"$work/said" 2>&1 </dev/null ||
  fail "it does not encrypt"
cat "$work/sealed"/part-* | cmp - "$work/stock" || fail "other bytes than those of openssl enc"
logins=$(($(grep -c 'Accepted publickey' "$work/sshd.log") - logins))
[ "$logins" -ge 8 ] || fail "$logins logins for 8 ranges"
echo "8 ranges over ssh are those of one openssl enc; $logins logins"
