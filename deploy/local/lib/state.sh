# shellcheck shell=bash
# The state folder: everything that a private broker writes, and what `up` found.
#
#   env              the lines that `up` prints
#   skipped          a line "NAME: why" for each broker that is not provided
#   tls/             a throw-away authority and the brokers' certificate
#   NAME/provider    given, docker or private
#   NAME/ports       plain=20001 tls=20002 …, drawn once, kept until `down`
#   NAME/why         why it was skipped
#   NAME/UNIT.pid    process and its start time; see process.sh
#   NAME/UNIT.log    what the process said

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

# broker NAME makes NAME the current broker, whose folder is $dir.
broker() {
  name=$1
  dir=$state/$name
}

# provider prints how the current broker is provided, or nothing.
provider() { [[ ! -e $dir/provider ]] || cat "$dir/provider"; }

# skip WHY records why the current broker is not provided, and fails.
skip() {
  echo "$1" >"$dir/why"
  return 1
}

# draw_ports NAME... gives the current broker a free loopback port a name, once.
draw_ports() {
  local port_name
  [[ -e $dir/ports ]] && return
  for port_name; do
    echo "$port_name=$(free_port)"
  done >"$dir/ports.new"
  mv "$dir/ports.new" "$dir/ports"
}

# port NAME prints a port of the current broker.
port() { sed -n "s/^$1=//p" "$dir/ports"; }

# free_port prints a port on which nothing listens. It stays below the range from
# which the kernel takes ports for outgoing connections.
free_port() {
  local candidate
  while :; do
    candidate=$((20000 + SRANDOM % 10000))
    grep -qs "=$candidate\$" "$state"/*/ports "$state"/*/ports.new && continue
    is_open "$candidate" || break
  done
  echo "$candidate"
}

# is_open PORT tells whether anything listens there.
is_open() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

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

# urls prints the export lines of the current broker.
urls() {
  export_line "BROKERBENCH_${name^^}_URL" "$(url)"
  export_line "BROKERBENCH_${name^^}_TLS_URL" "$(tls_url)"
}

# export_line VARIABLE VALUE prints nothing for an empty value.
export_line() {
  [[ -z $2 ]] || printf "export %s='%s'\n" "$1" "${2//\'/\'\\\'\'}"
}
