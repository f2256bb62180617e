# shellcheck shell=bash
# For those who run the nodes themselves, as brokerbench does with targets such as
# local:nats,nodes=3: `brokers nodes NAME` prepares a broker and says how its processes are
# started, `answers` and `formed` tell whether they are ready. Nothing is started here.

# nodes_of NAME prints what there is to know, a line for each thing: a word, a tab, a text.
# The lines after "helper" or "node" are about that process, until the next.
nodes_of() {
  local each what address
  open_state
  make_certificates || say "openssl cannot make certificates: $(tail -n 1 "$state/openssl.log")"
  broker "$1"
  mkdir -p "$home"
  : >"$home/alone" # no second server if none is needed
  [[ $fronted == no ]] || : >"$home/fronted"
  [[ ! $wanted_network ]] || tr , '\n' <<<"$wanted_network" >"$home/network"
  settle
  provided_by private
  "${kind}_install" || die "$(<"$home/why")"
  tell url "$("${kind}_url" "$(addresses "$(front_of plain)")")"
  while read -r what address; do
    tell "url_${what,,}" "$address"
  done < <("${kind}_other_urls")
  tell version "$("${kind}_version")"
  spawn() { tell_process "$@"; }
  alive() { return 1; }
  is_open() { :; }
  each_node tell_node || die "$(cat "$home/why" 2>/dev/null || echo "$name: cannot be configured")"
}

tell() { printf '%s\t%s\n' "$1" "$2"; }

tell_node() {
  listen=$(host)
  own_disk && configure && "${kind}_launch" || return
  tell address "$(address "$(front_of plain)")"
  tell data "$data"
  [[ -e $home/fronted ]] || return 0
  tell front "$(address front) $(address plain)"
  [[ $kind != rabbitmq ]] || tell front "$(address streamfront) $(address stream)"
}

# own_disk gives the current node a folder for its data alone, which a fault may wipe. If the caller asks
# for it, that is a separate file system, which a fault may fill. It is on a real disk. The caller unmounts it.
own_disk() {
  data=$dir/disk
  mkdir -p "$data"
  [[ $wanted_data ]] || return 0
  ((EUID == 0)) || skip "only root can mount a disk for its data" || return
  need mkfs.ext4 e2fsprogs && need mount mount || return
  # Servers that see another root have their own copy of each mount, which must go with it.
  mountpoint -q "$state" || { mount --bind "$state" "$state" && mount --make-shared "$state"; } || return
  { truncate -s "$wanted_data" "$data.ext4" && mkfs.ext4 -q -F "$data.ext4" && mount -o loop "$data.ext4" "$data"; } >"$data.log" 2>&1 ||
    skip "making a disk for its data: $(tail -n 1 "$data.log")"
}

# tell_process UNIT COMMAND... prints how a process is started. Shared processes are printed
# once.
tell_process() {
  local unit=$1 argument namespace=
  shift
  [[ ! -e $home/network ]] || namespace=$(sed -n "/^$(host) /s/.* //p" "$home/network")
  [[ ! $namespace ]] || set -- nsenter "--net=/run/netns/$namespace" -- "$@"
  if [[ $unit == "$kind" ]]; then
    tell node "$index"
  elif [[ -e $dir/$unit.told ]]; then
    return 0
  else
    : >"$dir/$unit.told"
    if [[ $dir == "$home" ]]; then tell helper "$unit"; else tell helper "$unit of $index"; fi
    tell address "$(address "$unit")"
  fi
  tell dir "$dir"
  tell log "$dir/$unit.log"
  for argument; do
    tell argument "$argument"
  done
}

# asked NAME sets what the functions that ask a node need. It takes no lock: several questions a second
# must not wait for callers that draw ports.
asked() {
  broker "$1"
  [[ -e $home/ports || -e $home/1/ports ]] || die "$name: not prepared; see brokers nodes"
  private_set
}

# alone tells whether each node is one process, without a second server for TLS.
alone() { ((nodes > 1)) || [[ -e $home/alone ]]; }

# front_of PORT prints the name of the port at which clients reach a listener: its own, or that
# of a proxy in front of it.
front_of() { if [[ -e $home/fronted ]]; then echo "${1/plain/}front"; else echo "$1"; fi; }
