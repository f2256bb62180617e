# shellcheck shell=bash
# Processes of the current broker, each a unit with a file $dir/UNIT.pid that
# holds its process id and start time: the id alone may belong to another process by now.

# spawn UNIT COMMAND... starts a process that outlives this script and holds nothing
# of its caller: no terminal, no pipe, no lock.
spawn() {
  local unit=$1
  shift
  rm -f "$dir/$unit.pid"
  (
    close_inherited
    cd "$dir" || exit
    pid=$BASHPID # in $(…) it is another
    echo "$pid $(start_time "$pid")" >"$unit.new"
    mv "$unit.new" "$unit.pid" # before it can start anything
    exec setsid "$@" </dev/null >>"$unit.log" 2>&1
  ) &
  until [[ -e $dir/$unit.pid ]]; do sleep 0.01; done
}

# close_inherited closes every file but the standard ones.
close_inherited() {
  local fd
  for fd in /proc/"$BASHPID"/fd/*; do
    fd=${fd##*/}
    ((fd <= 2)) || exec {fd}>&-
  done
}

# read_stat PID sets fields to what /proc has of a process: [0] is its state, [19] when it
# started, in ticks since boot. It fails for one that is gone.
read_stat() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return
  read -ra fields <<<"${stat##*) }" # from the third on: a name may hold blanks
}

# start_time PID prints when a process started; it fails for one that is gone or dead.
start_time() {
  local fields
  read_stat "$1" && [[ ${fields[0]} != [ZX] ]] && echo "${fields[19]}"
}

# has_ended PID STARTED tells whether nothing is left of a process. One that was killed is dead
# while some of its threads are still ending, and hold its sockets.
has_ended() {
  local fields
  ! read_stat "$1" || [[ ${fields[19]} != "$2" ]] || ! grep -qs '^State:.[^ZX]' "/proc/$1/task/"*/status
}

# pid_of UNIT prints the process id of a unit, and fails if it does not run.
pid_of() {
  local pid started
  [[ -e $dir/$1.pid ]] && read -r pid started <"$dir/$1.pid" &&
    [[ $started && $(start_time "$pid") == "$started" ]] && echo "$pid"
}

alive() { pid_of "$1" >/dev/null; }

# is_paused UNIT tells whether the unit was stopped by SIGSTOP.
is_paused() { grep -qs '^State:.T' "/proc/$(pid_of "$1")/status"; }

# signal SIGNAL UNIT... sends a signal to the units that run.
signal() {
  local signal=$1 unit pid
  shift
  for unit; do
    pid=$(pid_of "$unit") && kill -s "$signal" "$pid" 2>/dev/null
  done
  return 0
}

# signal_family SIGNAL UNIT sends a signal to a unit and its descendants: a server of PostgreSQL is many processes.
signal_family() {
  local pid
  while read -r pid _; do
    [[ ! $pid ]] || kill -s "$1" "$pid" 2>/dev/null
  done <<<"$(family_of_unit "$2")"
  return 0
}

# end UNIT asks a unit to end, waits, and kills what is left after 15 s, with
# everything that it started.
end() {
  local family pid started
  family=$(family_of_unit "$1")
  signal TERM "$1"
  signal_family CONT "$1" # a paused process would not notice
  if ! wait_gone 150 "$family"; then
    say "$1 does not end, killing it"
    while read -r pid started; do
      [[ $pid && $(start_time "$pid") == "$started" ]] && kill -s KILL "$pid" 2>/dev/null
    done <<<"$family"
    wait_gone 50 "$family" || { say "$1: processes stay behind: $family" && return 1; }
  fi
  rm -f "$dir/$1.pid"
}

# family_of_unit prints the unit's process and its descendants, each with its start
# time.
family_of_unit() {
  local pid
  pid=$(pid_of "$1") || return 0
  family_of "$pid"
}

family_of() {
  local child children started
  started=$(start_time "$1") || return # it is gone by now
  echo "$1 $started"
  children=$(cat "/proc/$1"/task/*/children 2>/dev/null)
  for child in $children; do
    family_of "$child"
  done
}

# wait_gone TENTHS FAMILY waits until nothing is left of a family.
wait_gone() {
  local tenths=$1 pid started
  while read -r pid started; do
    until [[ ! $pid ]] || has_ended "$pid" "$started"; do
      ((tenths-- > 0)) || return 1
      sleep 0.1
    done
  done <<<"$2"
}
