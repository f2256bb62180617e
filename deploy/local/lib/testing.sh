# shellcheck shell=bash
# Functions for the tests of ./brokers. The tests use a separate state folder and end
# everything that they start.

brokers=$here/brokers
scratch=$(realpath "$(mktemp -d)")
for each in "${!BROKERBENCH_@}"; do [[ $each == BROKERBENCH_START_TIMEOUT ]] || unset "$each"; done
export BROKERBENCH_STATE="$scratch/st ate" # a blank, to find what is not quoted
failed=0

trap '"$brokers" down; rm -rf "$scratch"' EXIT

# check WHAT COMMAND... reports whether the command succeeds.
check() {
  local what=$1
  shift
  if "$@" >"$scratch/output" 2>&1; then
    echo "ok   $what"
  else
    echo "FAIL $what: $*"
    sed 's/^/     /' "$scratch/output"
    failed=1
  fi
}

# fails CODE COMMAND... succeeds if the command ends with that exit code.
fails() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  ((got == want)) || { echo "exit code $got, want $want" && return 1; }
}

# says TEXT COMMAND... succeeds if the command's output holds the text.
says() {
  local text=$1
  shift
  "$@" >"$scratch/said" 2>&1
  cat "$scratch/said"
  grep -qF -- "$text" "$scratch/said"
}

is() { [[ $1 == "$2" ]] || { echo "got $1, want $2" && return 1; }; }

# our_pids prints the processes that were started in our state folder, or with a
# path in it in their environment: a daemon changes to /.
our_pids() {
  local each
  for each in /proc/[0-9]*; do
    if [[ $(readlink "$each/cwd") == "$BROKERBENCH_STATE"* ]] || grep -qsF "$BROKERBENCH_STATE/" "$each/environ"; then
      echo "${each#/proc/}"
    fi
  done | sort
}

# is_gone PID succeeds if there is no such process, or only its last breath.
is_gone() { ! grep -s '^State:.[^ZX]' "/proc/$1/task/"*/status; }

status_of() { "$brokers" status | grep "^$1 "; }

# verdict ends the tests.
verdict() {
  ((failed)) && echo "FAILED" && exit 1
  echo "all good"
}
