# shellcheck shell=bash
# Ports of 127.0.0.1, drawn once for each broker. They stay below the range from
# which the kernel takes ports for outgoing connections.

# draw_ports gives every node of the current broker a free port for each name of its
# kind, and all nodes together one for each process that they share.
draw_ports() {
  (
    exec {drawing}>>"$state/ports.lock" # one at a time, so that none is drawn twice
    flock "$drawing"
    # shellcheck disable=SC2046 # one port per word
    draw "$home" $("${kind}_shared")
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
    grep -q "^$each=" "$file" || echo "$each=$(free_port)" >>"$file"
  done
}

free_port() {
  local candidate
  while :; do
    candidate=$((20000 + SRANDOM % 10000))
    grep -qs "=$candidate\$" "$state"/*/ports "$state"/*/*/ports && continue
    is_open "$candidate" || break
  done
  echo "$candidate"
}

# is_open PORT tells whether anything listens there.
is_open() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# port NAME prints a port of the current node, or one that all nodes share.
port() { cat "$dir/ports" "$home/ports" | sed -n "s/^$1=//p" | head -n 1; }

# address NAME prints where the current node listens, addresses NAME where all do.
address() { echo "127.0.0.1:$(port "$1")"; }

addresses() {
  local each list=
  for ((each = 1; each <= nodes; each++)); do
    list+=,$(node "$each" && address "$1")
  done
  echo "${list#,}"
}
