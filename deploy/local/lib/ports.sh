# shellcheck shell=bash
# Ports of 127.0.0.1, drawn once for each broker. They stay below the range from
# which the kernel takes ports for outgoing connections.
#
# A port belongs to a set of brokers until `down`, also while nothing listens there: a
# test that kills a broker wants it back at its port. So that no other set of this
# machine draws it meanwhile, it is reserved: /tmp/brokerbench-ports/20001 holds the
# path of the file `ports` that has 20001. Once that file is gone, so is the
# reservation: processes may well be dead.

reserved=/tmp/brokerbench-ports # not TMPDIR: it would not be the same for all
first_port=20000
port_count=10000

# draw_ports gives every node of the current broker a free port for each name of its
# kind, and all nodes together one for each process that they share.
draw_ports() {
  mkdir -m 1777 "$reserved" 2>/dev/null # for all users; or it is there
  (
    exec {drawing}<"$reserved" # one at a time, so that none is drawn twice
    flock "$drawing"
    # shellcheck disable=SC2046 # one port per word
    draw "$home" $("${kind}_shared") $([[ $kind != redis ]] || redis_shared_ports)
    each_node draw_node
  )
}

draw_node() {
  mkdir -p "$dir"
  # shellcheck disable=SC2046 # one port per word
  draw "$dir" $("${kind}_ports")
}

# draw FOLDER NAME... draws a port for each name that has none yet.
draw() {
  local file=$1/ports each
  touch "$file"
  for each in "${@:2}"; do
    grep -q "^$each=" "$file" || echo "$each=$(reserve "$file")" >>"$file"
  done
}

# reserve FILE prints a free port and reserves it for FILE.
reserve() {
  local candidate
  while :; do
    candidate=$((first_port + SRANDOM % port_count))
    is_reserved "$candidate" || is_open "$candidate" || break
  done
  rm -f "$reserved/$candidate" && echo "$1" >"$reserved/$candidate"
  echo "$candidate"
}

# is_reserved PORT tells whether somebody has it. Where other users keep theirs cannot be seen.
is_reserved() {
  [[ -e $reserved/$1 ]] || return
  [[ ! -O $reserved/$1 ]] || grep -qs "=$1\$" "$(<"$reserved/$1")"
}

# free_ports gives back the ports of the current broker.
free_ports() {
  local file each
  for file in "$home/ports" "$home"/*/ports; do
    [[ -e $file ]] || continue
    while IFS='=' read -r _ each; do
      [[ $(cat "$reserved/$each" 2>/dev/null) != "$file" ]] || rm -f "$reserved/$each"
    done <"$file"
  done
}

# is_open PORT tells whether anything listens there.
is_open() { (: <>"/dev/tcp/$(host)/$1") 2>/dev/null; }

# port NAME prints a port of the current node, or one that all nodes share.
port() { cat "$dir/ports" "$home/ports" | sed -n "s/^$1=//p" | head -n 1; }

# host [NAME] prints the address of the current node: that of this machine, unless the node has
# a network namespace. Then the file "network" has a line for this machine, where proxies
# listen and what all nodes share, and one for each node.
host() {
  local line=$((index + 1))
  [[ -e $home/network ]] || { echo 127.0.0.1 && return; }
  if [[ ${1-} == *front ]] || { ((nodes > 1)) && [[ $dir == "$home" ]]; }; then line=1; fi
  sed -n "${line}s/ .*//p" "$home/network"
}

# address NAME prints where the current node listens, addresses NAME where all do.
address() { echo "$(host "$1"):$(port "$1")"; }

addresses() {
  local each list=
  for ((each = 1; each <= nodes; each++)); do
    list+=,$(node "$each" && address "$1")
  done
  echo "${list#,}"
}
