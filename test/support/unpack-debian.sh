#!/usr/bin/env bash
# Unpacks Debian packages into a folder. Installs nothing: apt gets a configuration, package lists
# and a status file of its own. The archive's address and keys are those of this machine's own apt
# sources, with the release's name put in place of the running one's.
# usage: unpack-debian.sh DIR RELEASE COMPONENT PACKAGE...     RELEASE "": the running one
#
# DIR is emptied first. Exits 77 where the archive cannot be reached.
set -euo pipefail

dir=$1 release=$2 component=$3
shift 3

skip() {
  echo "skipped: $*" >&2
  exit 77
}

command -v apt-get >/dev/null || skip "no apt-get here: this takes packages from Debian's archive"
# shellcheck disable=SC1091
running=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
release=${release:-$running}
# shellcheck disable=SC2016 # the placeholders are apt's
uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
  awk -v suite="$running" '$1 == suite {print $2; exit}')
[ -n "$uri" ] || skip "no apt source of the running release '$running' on this machine"

rm -rf "$dir"
mkdir -p "$dir"
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
: >"$apt/status"
: >"$apt/keys.gpg"
for key in /usr/share/keyrings/debian-archive-*.gpg /etc/apt/trusted.gpg.d/debian-archive-*.gpg; do
  [ ! -f "$key" ] || cat "$key" >>"$apt/keys.gpg"
done
[ -s "$apt/keys.gpg" ] || skip "no keys of Debian's archive on this machine"
echo "deb [signed-by=$apt/keys.gpg] $uri $release $component" >"$apt/sources.list"

options=(
  -o "Dir::Etc::SourceList=$apt/sources.list" -o "Dir::Etc::SourceParts=$apt/parts"
  -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status"
  -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=root" -o "Acquire::Languages=none"
  -o "Acquire::Retries=2" -o "APT::Update::Error-Mode=any"
)
if ! (cd "$apt" && apt-get "${options[@]}" update && apt-get "${options[@]}" download "$@") \
  >"$apt/log" 2>&1; then
  cat "$apt/log" >&2
  skip "cannot fetch $* of Debian $release"
fi
for deb in "$apt"/*.deb; do dpkg-deb --extract "$deb" "$dir"; done
