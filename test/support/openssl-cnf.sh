# shellcheck shell=bash
# openssl_cnf MODULE [GENERATOR [LINE...]]: prints an openssl.cnf with this module, by its path or by a
# name that OPENSSL_MODULES leads to, in front of the default provider, as README has it. GENERATOR,
# unless it is empty, gives the process's random bytes, as provider/RAND.md has it. Each LINE goes to the
# end: into [random], or without a generator into the module's section. A generator of 128 bits comes
# with the groups for TLS that RAND.md has for it, unless TLS_GROUPS is empty.
openssl_cnf() {
  local name generator=${2:-} groups=
  name=$(basename "$1" .so)
  if [ -n "$generator" ]; then echo 'config_diagnostics = 1'; fi
  printf '%s\n' 'openssl_conf = openssl_init' '[openssl_init]' 'providers = providers'
  if [ -n "$generator" ]; then echo 'random = random'; fi
  case $generator in
  HIGHT-CTR-DRBG | *-128-CTR-DRBG) groups=${TLS_GROUPS-X25519:P-256:P-384} ;;
  esac
  if [ -n "$groups" ]; then echo 'ssl_conf = ssl'; fi
  printf '%s\n' '[providers]' "$name = ${name}_provider" 'default = default_provider' \
    '[default_provider]' 'activate = 1' "[${name}_provider]" 'activate = 1'
  case $1 in */*) echo "module = $1" ;; esac
  if [ -n "$groups" ]; then
    printf '%s\n' '[ssl]' 'system_default = tls' '[tls]' "Groups = $groups"
  fi
  if [ -n "$generator" ]; then printf '%s\n' '[random]' "random = $generator"; fi
  shift $(($# < 2 ? 1 : 2))
  if [ $# -ne 0 ]; then printf '%s\n' "$@"; fi
}
