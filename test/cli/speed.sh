#!/usr/bin/env bash
# As a user: `openssl speed` works for every cipher and direction, and with several processes.
# shellcheck source=test/cli/lib.sh
. "$(dirname "$0")/lib.sh" "$1"
# speed OUTPUT OPTION...: a second in the background. All run at once, because only the form of the output counts; by
# -elapsed none of them is left without time.
pids=()
speed() {
  openssl speed "${providers[@]}" -elapsed -seconds 1 -bytes 4096 "${@:2}" >"$work/$1" 2>&1 &
  pids+=("$!")
}
for name in "${ciphers[@]}"; do speed "$name-ctr" -evp "$name-ctr"; done
speed hight-ecb -decrypt -evp hight-ecb
speed multi -multi 2 -evp lea-128-ctr
speed lea-128-gcm -aead -evp lea-128-gcm
outputs=("${ciphers[@]/%/-ctr}" hight-ecb multi lea-128-gcm)
for i in "${!outputs[@]}"; do
  wait "${pids[$i]}" || fail "${outputs[$i]}: $(cat "$work/${outputs[$i]}")"
done
for name in "${ciphers[@]/%/-ctr}" lea-128-gcm; do
  tail -n 1 "$work/$name" | grep -qiE "^$name +[0-9.]+k" || fail "$name: $(cat "$work/$name")"
done
