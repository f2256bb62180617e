# shellcheck shell=bash
# The commands. The differences between providers are in given.sh, docker.sh and
# private.sh: PROVIDER_up, PROVIDER_down, PROVIDER_kill and so on.

# up NAME... provides brokers in parallel, and prints the URLs of all that run.
up() {
  local each
  open_state
  for each; do agree "$each"; done
  trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM # `down` finds their processes
  make_certificates || say "openssl cannot make certificates: $(tail -n 1 "$state/openssl.log")"
  for each; do
    up_one "$each" >&2 &
  done
  wait
  write_env
  cat "$state/env"
  [[ $require == no || ! -s $state/skipped ]]
}

# agree refuses options that a broker which was started before does not have, rather
# than lose what it holds.
agree() {
  broker "$1"
  [[ $(provider) == private || $(provider) == docker ]] || return 0
  [[ ${wanted_nodes:-$nodes} == "$nodes" ]] ||
    die "$name was started with --nodes $nodes: end it first with: brokers down $name"
  [[ ${wanted_durability:-$durability} == "$durability" ]] ||
    die "$name was started with ${durability:+--durability }${durability:-no --durability}: end it first with: brokers down $name"
}

up_one() {
  broker "$1"
  mkdir -p "$home"
  rm -f "$home/why"
  choose
  settle
  provided_by "$how"
  "${how}_up" || say "SKIPPED $name: $(<"$home/why")"
}

# choose sets how the current broker is provided: as the last time, unless the
# environment now gives another broker, or no longer gives one.
choose() {
  local before
  before=$(provider)
  if is_given; then
    how=given
  elif [[ $before == docker || $before == private ]]; then
    how=$before
  elif ((${wanted_nodes:-1} == 1)) && grep -q "^  $name:" "$here/compose.yaml" && docker_answers; then
    how=docker
  else
    how=private
  fi
  if [[ $before && $before != "$how" ]]; then
    down_one "$name"
    mkdir -p "$home"
  fi
}

# settle notes what `up` is told of the current broker.
settle() {
  [[ ! $wanted_nodes ]] || echo "$wanted_nodes" >"$home/nodes"
  [[ ! $wanted_durability ]] || echo "$wanted_durability" >"$home/durability"
  broker "$name"
}

# provided_by PROVIDER sets what the functions of that provider need.
provided_by() {
  [[ $1 == given ]] || draw_ports
  "$1_set"
}

# configure writes the files of the current node.
configure() {
  [[ -d $state/tls ]] || skip "no certificates: $(tail -n 1 "$state/openssl.log")" || return
  "${kind}_configure" || skip "cannot be configured"
}

# down NAME... ends brokers in parallel, and removes the state folder with the last.
down() {
  local each job jobs=() failed=0
  has_state || return 0
  open_state
  for each; do
    down_one "$each" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "$job" || failed=1
  done
  write_env
  remove_state
  return "$failed"
}

down_one() {
  local how why
  broker "$1"
  how=$(provider)
  if [[ $how ]]; then
    provided_by "$how"
    "${how}_down" || return # its folder shows what is left
  fi
  free_ports
  rm -rf "$home"
}

# one NAME [NODE] runs the command of that name (start, kill, pause, resume, pid).
one() {
  local how why
  broker "$1"
  how=$(provider)
  [[ $how ]] || die "$name: not running; start it with: brokers up $name"
  (($# == 1)) || choose_node "$2"
  [[ $command == pid ]] || open_state
  provided_by "$how"
  rm -f "$home/why"
  "${how}_${command/stop/kill}" && return
  why=$(cat "$home/why" 2>/dev/null || echo "it is not running")
  (($# == 1)) || rm -f "$home/why" # the other nodes are there
  die "$name${2:+/$2}: cannot $command: $why"
}

# choose_node N makes a command be for that node alone.
choose_node() {
  [[ $1 == [0-9] && $1 -ge 1 && $1 -le $nodes ]] || usage "$name has no node $1: want 1 to $nodes"
  selected=("$1")
  node "$1"
}

status() {
  local each how
  for each in "${all_brokers[@]}"; do
    broker "$each"
    how=$(provider)
    if [[ -e $home/why ]]; then
      printf '%-11s skipped: %s\n' "$name" "$(<"$home/why")"
    elif [[ $how ]]; then
      provided_by "$how"
      each_node status_of_node
    elif [[ " ${usual[*]} " == *" $name "* ]]; then
      printf '%-11s stopped\n' "$name"
    fi
  done
}

status_of_node() {
  printf '%-11s %-8s %-7s %-9s pid %-7s %s\n' "$(label)" "$("${how}_condition")" "$how" \
    "$("${how}_version")" "$(selected=("$index") && "${how}_pid" || echo -)" "$(node_url | without_password)"
}

# label prints what the current node is called.
label() { if ((nodes == 1)); then echo "$name"; else echo "$name/$index"; fi; }

without_password() { sed 's,://\([^:/?]*\):.*@,://\1:xxxxx@,'; }

# url and tls_url print the URLs of the current broker; own_url and node_url print those of a
# broker that we started, and of its current node.
url() { if [[ $(provider) == given ]]; then cat "$home/url"; else own_url; fi; }
tls_url() { if [[ $(provider) == given ]]; then cat "$home/tls_url"; else "${kind}_tls_url" "$(addresses tls)"; fi; }
own_url() { echo "$("${kind}_url" "$(addresses plain)")$([[ $(type -t "${kind}_options") != function ]] || "${kind}_options")"; }
node_url() { if [[ $(provider) == given ]]; then url; else "${kind}_url" "$(address plain)"; fi; }
