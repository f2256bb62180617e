# shellcheck shell=bash
# The units, by systemd's own reader.

check_systemd() {
  check_unit deploy/systemd/brokerbench-agent@.service brokerbench-agent@0.service
  check_unit deploy/canary/brokerbench-canary.service brokerbench-canary.service
}

# check_unit FILE INSTANCE
check_unit() {
  local unit=$1
  if ! command -v systemd-analyze >/dev/null; then
    missing systemd-analyze "$unit" "no systemd on this machine"
    return
  fi
  try "systemd-analyze" "$unit: verify" verify_unit "$unit" "$2"
  # 10 is a unit without any protection; 0 does nothing.
  try "systemd-analyze" "$unit: security" systemd-analyze security --offline=true --threshold=15 --no-pager "$unit"
  beyond "systemd" "$unit" "it was not started by a service manager"
}

# verify_unit reads the unit in a separate root that holds the program and the targets that
# every service has. systemd-analyze only warns about unknown keys.
verify_unit() {
  local root=$work/root target said
  mkdir -p "$root/usr/bin" "$root/etc/systemd/system"
  cp "$1" "$root/etc/systemd/system/"
  install -m 755 /dev/null "$root/usr/bin/brokerbench"
  for target in sysinit basic shutdown network-online; do
    printf '[Unit]\nDescription=%s\n' "$target" >"$root/etc/systemd/system/$target.target"
  done
  said=$(systemd-analyze verify --man=no --root="$root" "$2" 2>&1) && [[ -z $said ]] || { echo "$said" && return 1; }
}
