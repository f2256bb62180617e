# shellcheck shell=bash
# The state folder: everything that a private broker writes, and what `up` found.
#
#   env              the lines that `up` prints
#   skipped          a line "NAME: why" for each broker that is not provided
#   tls/             a throw-away authority and the brokers' certificate
#   NAME/provider    given, docker or private
#   NAME/nodes       how many nodes it has, if they are several
#   NAME/durability  what `up --durability` was told
#   NAME/why         why it was skipped
#   NAME/ports       plain=20001 tls=20002 …, drawn once, kept until `down`
#   NAME/UNIT.pid    process and its start time; see process.sh
#   NAME/UNIT.log    what the process said
#
# With several nodes, the ports, processes and data of node 2 are in NAME/2; only
# shared files are in NAME.

marker=made-by-brokerbench # without it, `down` does not remove a folder

# open_state makes the folder if need be and locks it until this script ends, so
# that two calls do not start the same broker twice.
open_state() {
  while :; do
    mkdir -p "$state" && chmod 700 "$state" || exit
    if [[ ! -e $state/$marker ]]; then
      [[ -z $(ls -A "$state") ]] || die "$state: not empty and not a state folder of this script; set BROKERBENCH_STATE"
      : >"$state/$marker"
    fi
    exec {lock}<"$state"
    flock -n "$lock" || { say "waiting for another call to end" && flock "$lock"; }
    # A `down` may have removed the folder while we waited for its lock.
    [[ /proc/$$/fd/$lock -ef $state && -e $state/$marker ]] && return
    exec {lock}<&-
  done
}

# has_state tells whether there is a state folder at all.
has_state() { [[ -e $state/$marker ]]; }

# remove_state removes the folder, unless a broker is left in it.
remove_state() {
  local each
  for each in "${all_brokers[@]}"; do
    [[ ! -d $state/$each ]] || return 0
  done
  rm -rf "$state"
}

# broker NAME makes NAME the current broker, whose folder is $home, and all its nodes
# those that a command is for. Its variables begin with $variable: Mosquitto's are those that
# brokerbench reads for the target mqtt.
broker() {
  name=$1
  kind=${kinds[$1]:-$1}
  variable=${name/mosquitto/mqtt}
  variable=${variable/-/_}
  variable=BROKERBENCH_${variable^^}
  home=$state/$name
  nodes=$(chosen nodes)
  nodes=${nodes:-${sizes[$1]:-1}}
  durability=$(chosen durability)
  mapfile -t selected < <(seq "$nodes")
  node 1
}

# chosen WHAT prints what `up` was told of the current broker, or nothing.
chosen() { [[ ! -e $home/$1 ]] || cat "$home/$1"; }

# provider prints how the current broker is provided, or nothing.
provider() { chosen provider; }

# node N makes N the current node, whose folder is $dir.
node() {
  index=$1
  dir=$home
  ((nodes == 1)) || dir=$home/$1
}

# each_node COMMAND... runs it for each of the nodes selected, until it fails.
each_node() {
  local each
  for each in "${selected[@]}"; do
    node "$each"
    "$@" || return
  done
}

# in_home COMMAND... runs it for what all nodes share.
in_home() {
  local dir=$home
  "$@"
}

# skip WHY records why the current broker is not provided, and fails.
skip() {
  echo "$1" >"$home/why"
  return 1
}

# write_env collects the URLs of all brokers that are provided into env.
write_env() {
  local each
  : >"$state/skipped.new"
  for each in "${all_brokers[@]}"; do
    broker "$each"
    if [[ -e $dir/why ]]; then
      echo "$each: $(<"$dir/why")" >>"$state/skipped.new"
    elif [[ $(provider) ]]; then
      urls
    fi
  done >"$state/env.new"
  mv "$state/env.new" "$state/env"
  mv "$state/skipped.new" "$state/skipped"
}

# urls prints the export lines of the current broker: its URL, the one with TLS, and
# others that its kind has, such as that of an API.
urls() {
  local what address
  export_line "${variable}_URL" "$(url)"
  export_line "${variable}_TLS_URL" "$(tls_url)"
  [[ $(provider) != given ]] || return 0
  while read -r what address; do
    export_line "${variable}_${what}_URL" "$address"
  done < <("${kind}_other_urls")
}

# export_line VARIABLE VALUE prints nothing for an empty value.
export_line() {
  [[ -z $2 ]] || printf "export %s='%s'\n" "$1" "${2//\'/\'\\\'\'}"
}
