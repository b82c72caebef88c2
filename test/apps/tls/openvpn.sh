#!/usr/bin/env bash
# usage: openvpn.sh MODULE CIPHER [PEER]
# OpenVPN's tunnel between two network namespaces: two processes with our provider and the one data cipher
# CIPHER send each other 4 MB. Each process's trace says that its packets were ours. PEER is ours, or
# stock: a process that has OpenSSL's own ciphers alone.
# shellcheck source=test/apps/lib.sh
. "$(dirname "$0")/../lib.sh" "$1" LEA-256
data_cipher=$2
peer=${3:-ours}
# OpenVPN fetches by name alone. OpenSSL has no LEA, so any order finds ours; of ARIA the first that loads counts.
case $data_cipher in
LEA-*) providers='default gpuctr' ;;
*) providers='gpuctr default' ;;
esac
PATH=$PATH:/usr/sbin:/sbin
unset OPENSSL_CONF # the process gets the provider by OpenVPN's option, and OpenSSL's own generators
need openvpn
need ip
need curl

tag=gc$$ # an interface's name has 15 characters at most
delete_tunnel() {
  clean_up
  ip netns del "$tag-a" 2>/dev/null || true
  ip netns del "$tag-b" 2>/dev/null || true
}
trap delete_tunnel EXIT
skip() {
  echo "skipped: $*"
  exit 77
}
[ -e /dev/net/tun ] || skip "no /dev/net/tun here: OpenVPN's tunnel needs it"
ip netns add "$tag-a" 2>"$scratch/ip.log" || skip "no network namespace can be made here: $(cat "$scratch/ip.log")"
ip netns add "$tag-b"
ip netns exec "$tag-a" ip tuntap add mode tun name try 2>"$scratch/ip.log" ||
  skip "no TUN device can be made here: $(cat "$scratch/ip.log")"
ip -n "$tag-a" link add wire type veth peer name wire netns "$tag-b" 2>"$scratch/ip.log" ||
  skip "no veth pair can be made here: $(cat "$scratch/ip.log")"
for side in a b; do
  ip -n "$tag-$side" link set lo up
  ip -n "$tag-$side" link set wire up
done
ip -n "$tag-a" address add 192.0.2.1/30 dev wire
ip -n "$tag-b" address add 192.0.2.2/30 dev wire

for side in a b; do
  OPENSSL_CONF=/dev/null openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj "/CN=$side" -keyout "$scratch/$side.key" -out "$scratch/$side.pem" 2>"$scratch/req.log" ||
    fail "openssl req -x509"
  openssl x509 -in "$scratch/$side.pem" -noout -fingerprint -sha256 | cut -d= -f2 >"$scratch/$side.print"
  mkdir "$scratch/$side"
  head -c 4000000 /dev/urandom >"$scratch/$side/data"
done

# vpn SIDE OTHER PROVIDERS OPTION...: starts that side. The lines are those of gpuctr(7), EXAMPLES.
vpn() {
  local side=$1 other=$2 providers=$3 local=1 remote=2
  shift 3
  if [ "$side" = b ]; then local=2 remote=1; fi
  printf '%s\n' "providers $providers" "data-ciphers $data_cipher" 'disable-dco' 'dev tun0' 'dev-type tun' \
    "ifconfig 10.8.0.$local 10.8.0.$remote" "remote 192.0.2.$remote" "local 192.0.2.$local" 'proto udp' \
    "cert $scratch/$side.pem" "key $scratch/$side.key" "peer-fingerprint $(cat "$scratch/$other.print")" \
    'auth SHA256' 'verb 3' "$@" >"$scratch/$side.conf"
  OPENSSL_MODULES=$(dirname "$module") GPUCTR_TRACE=$scratch/trace.$side \
    ip netns exec "$tag-$side" openvpn --config "$scratch/$side.conf" >"$scratch/$side.log" 2>&1 &
  pids+=("$!")
}
peer_providers=$providers
if [ "$peer" = stock ]; then peer_providers=default; fi
vpn a b "$providers" tls-server 'dh none'
vpn b a "$peer_providers" tls-client
for side in a b; do
  for ((i = 0; i < 200; i++)); do
    if grep -qs 'Initialization Sequence Completed' "$scratch/$side.log"; then break; fi
    kill -0 "${pids[0]}" "${pids[1]}" 2>/dev/null || fail "$data_cipher: openvpn ended"
    sleep 0.1
  done
  grep -q "Data Channel: cipher '$data_cipher'" "$scratch/$side.log" || fail "$side has no channel with $data_cipher"
done

# A file each way: each side asks the other's server through the tunnel.
for side in a b; do
  ip netns exec "$tag-$side" python3 -m http.server --bind 0.0.0.0 --directory "$scratch/$side" 8080 \
    >"$scratch/$side.http.log" 2>&1 &
  pids+=("$!")
done
get() { # get SIDE ADDRESS FILE: asked again while the server is not up
  ip netns exec "$tag-$1" curl -s --retry 50 --retry-connrefused --retry-delay 1 --max-time 60 -o "$3" \
    "http://$2:8080/data" || fail "$data_cipher: nothing came to $1"
}
get a 10.8.0.2 "$scratch/from-b"
get b 10.8.0.1 "$scratch/from-a"
for side in a b; do
  cmp -s "$scratch/from-$side" "$scratch/$side/data" || fail "$data_cipher: other bytes came from $side"
done

# The trace has a context's line when that is freed: when openvpn ends.
kill -INT "${pids[0]}" "${pids[1]}"
wait "${pids[0]}" "${pids[1]}" || true
pids=("${pids[@]:2}")
ours() { # ours SIDE: 8 MB in and out, and what TCP and IP add
  awk -v name="$data_cipher" '$2 == name { split($4, n, "="); sum += n[2] } END { exit sum < 8000000 }' \
    "$scratch/trace.$1" || fail "$1: the packets were not ours: $(cat "$scratch/trace.$1" 2>/dev/null)"
}
ours a
if [ "$peer" = ours ]; then ours b; fi
if [ "$peer" = stock ] && [ -e "$scratch/trace.b" ]; then fail "b has the provider, and was to be stock"; fi

# What OpenVPN refuses: LEA without the provider, and counter mode, which nothing authenticates, with it.
refused() { # refused CIPHER PROVIDERS
  sed "s/^providers .*/providers $2/; s/^data-ciphers .*/data-ciphers $1/" "$scratch/a.conf" >"$scratch/no.conf"
  if OPENSSL_MODULES=$(dirname "$module") ip netns exec "$tag-a" timeout 10 openvpn --config "$scratch/no.conf" \
    >"$scratch/no.log" 2>&1; then fail "OpenVPN ran with $1 of $2"; fi
  grep -q "Unsupported cipher .*$1" "$scratch/no.log" || fail "$1 of $2: refused for another reason"
}
if [[ $data_cipher = LEA-* ]]; then refused "$data_cipher" default; fi
refused "${data_cipher%-*}-CTR" "$providers"
echo "OpenVPN, $data_cipher, the peer $peer: 4 MB each way through the tunnel"
