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
  : >"$home/alone" # what needs no second server has none
  [[ $fronted == no ]] || : >"$home/fronted"
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
  configure && "${kind}_launch" || return
  tell address "$(address "$(front_of plain)")"
  tell data "$dir"
  [[ -e $home/fronted ]] || return 0
  tell front "$(address front) $(address plain)"
  [[ $kind != rabbitmq ]] || tell front "$(address streamfront) $(address stream)"
}

# tell_process UNIT COMMAND... says how a process is started. What the nodes share is said
# once.
tell_process() {
  local unit=$1 argument
  shift
  if [[ $unit == "$kind" ]]; then
    tell node "$index"
  elif [[ -e $home/$unit.told ]]; then
    return 0
  else
    : >"$home/$unit.told"
    tell helper "$unit"
    tell address "$(address "$unit")"
  fi
  tell dir "$dir"
  tell log "$dir/$unit.log"
  for argument; do
    tell argument "$argument"
  done
}

# asked NAME sets what the functions that ask a node need.
asked() {
  broker "$1"
  [[ -e $home/ports || -e $home/1/ports ]] || die "$name: not prepared; see brokers nodes"
  provided_by private
}

# alone tells whether each node is one process, without a second server for TLS.
alone() { ((nodes > 1)) || [[ -e $home/alone ]]; }

# front_of PORT prints the name of the port at which clients reach a listener: its own, or that
# of a proxy in front of it.
front_of() { if [[ -e $home/fronted ]]; then echo "${1/plain/}front"; else echo "$1"; fi; }
