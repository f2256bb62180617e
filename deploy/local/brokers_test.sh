#!/usr/bin/env bash
# Tests ./brokers in a separate state folder, with the real brokers that this
# machine can provide: brokers_test.sh [NAME...], default all.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/lib/testing.sh"

usage_is_explained() {
  local each
  for each in up down status kill stop start pause resume pid --require --nodes --durability BROKERBENCH_STATE; do
    check "help tells of $each" says "$each" "$brokers" help
  done
  check "an unknown command is an error of usage" fails 2 "$brokers" upp
  check "an unknown broker is an error of usage" fails 2 "$brokers" up natts
  check "stop needs a name" fails 2 "$brokers" stop
  check "what is not up cannot be stopped" says "nats: not running" "$brokers" stop nats
  check "down is safe if there is nothing" "$brokers" down
  check "status works if there is nothing" says "kafka       stopped" "$brokers" status
}

foreign_folder_is_left_alone() {
  mkdir "$scratch/foreign" && : >"$scratch/foreign/file"
  BROKERBENCH_STATE=$scratch/foreign check "up refuses a folder that is not its own" fails 1 "$brokers" up nats
  BROKERBENCH_STATE=$scratch/foreign check "down has nothing to do there" "$brokers" down
  check "and leaves it alone" test -e "$scratch/foreign/file"
}

given_broker_is_used_as_it_is() {
  local -x BROKERBENCH_NATS_URL="nats://u:it's@127.0.0.1:1" # nothing listens there
  check "a given broker is printed" is "$("$brokers" up nats 2>/dev/null)" "export BROKERBENCH_NATS_URL='nats://u:it'\\''s@127.0.0.1:1'"
  check "a dead one is pointed out" says "nothing listens at 127.0.0.1:1," "$brokers" up nats
  check "its status is given" says "nats        given    given             pid -       nats://u:xxxxx@127.0.0.1:1" "$brokers" status
  check "a given broker cannot be stopped" says "cannot stop a broker that somebody else runs" "$brokers" stop nats
  check "down forgets it" "$brokers" down
}

missing_program_is_a_reason_to_skip() {
  mkdir "$scratch/bin"
  ln -s /usr/bin/* /usr/sbin/* /bin/* "$scratch/bin/" 2>/dev/null
  rm -f "$scratch/bin/go" "$scratch/bin/docker"
  local -x PATH=$scratch/bin
  check "a broker that cannot be provided is skipped aloud" says "SKIPPED nats: go is missing" "$brokers" up nats
  check "which is no error" "$brokers" up nats
  check "but with --require" fails 1 "$brokers" up --require nats
  check "it is written down" is "$(<"$BROKERBENCH_STATE/skipped")" "nats: go is missing, to build nats-server"
  check "it has no URL" is "$(<"$BROKERBENCH_STATE/env")" ""
  check "its status says so" says "nats        skipped: go is missing" "$brokers" status
  "$brokers" down
}

# Packages must not start services, and the earlier policy is restored.
services_are_refused() (
  # shellcheck source=/dev/null
  source "$here/lib/packages.sh"
  policy=$scratch/policy-rc.d
  (refuse_services && fails 101 "$policy" redis start) || return
  [[ ! -e $policy ]] || return
  printf '#!/bin/sh\nexit 0\n' >"$policy" && chmod +x "$policy"
  (refuse_services && fails 101 "$policy" redis start) || return
  "$policy" redis start || return
  (refuse_services && kill -TERM "$BASHPID")
  "$policy" redis start || return
  printf '#!/bin/sh\nexit 101 # mine\n' >"$policy"
  (refuse_services && grep mine "$policy") && grep mine "$policy"
)

archive_without_lib_is_a_reason_to_skip() (
  # shellcheck source=/dev/null
  source "$here/lib/packages.sh"
  need() { :; }
  say() { :; }
  skip() { echo "$1" && return 1; }
  mvn() { mkdir -p "${!##*=}/top/$inside"; } # its last argument is -DoutputDirectory=FOLDER
  home=$scratch name=fake inside=bin
  says "a:fake:1 has no folder lib" fails 1 need_unpacked "$scratch/unpacked" a:fake:1 || return
  [[ $(echo "$scratch/unpacked"*) == "$scratch/unpacked*" ]] || return # nothing is left
  inside=lib
  need_unpacked "$scratch/unpacked" a:fake:1 && [[ -d $scratch/unpacked/lib ]]
)

# A set of brokers has its ports until down, whether anything listens there or not.
ports_are_reserved() (
  # shellcheck source=/dev/null
  source "$here/lib/state.sh"
  # shellcheck source=/dev/null
  source "$here/lib/ports.sh"
  sets=$(mktemp -d -p "$scratch")
  reserved=$sets/reserved first_port=20000 port_count=4 nodes=1 kind=fake selected=(1)
  fake_shared() { :; }
  fake_ports() { echo "plain tls"; }
  is_open() { (($1 == 20003)); } # another process listens there
  # drawn SET prints the ports of a set, in order.
  drawn() {
    home=$sets/$1 dir=$sets/$1
    draw_ports && sed 's/.*=//' "$home/ports" | sort -n | paste -sd ' '
  }
  first=$(drawn a)
  is "$(drawn a)" "$first" || return
  fake_ports() { echo plain; }
  third=$(drawn b)
  is "$(tr ' ' '\n' <<<"$first $third" | sort -n | paste -sd ' ')" "20000 20001 20002" || return
  home=$sets/b && free_ports && rm -r "$home" || return
  is "$(drawn c)" "$third" || return # b gave it back
  rm -r "$sets/c"
  is "$(drawn d)" "$third" || return # c is gone, and gave nothing back
  home=$sets/c free_ports
  is "$(<"$reserved/$third")" "$sets/d/ports"
)

# A process that is dead has not ended while another of its threads runs, and holds its sockets.
threads_are_waited_for() (
  # shellcheck source=/dev/null
  source "$here/lib/process.sh"
  exec {pipe}> >(exec python3 -c 'import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
ctypes.CDLL(None).pthread_exit(None)')
  pid=$!
  until read_stat "$pid" && [[ ${fields[0]} == Z ]]; do sleep 0.05; done
  started=${fields[19]}
  fails 1 start_time "$pid" && fails 1 has_ended "$pid" "$started" && fails 1 wait_gone 1 "$pid $started" || return
  has_ended "$pid" $((started + 1)) || return # its number is another's by now
  exec {pipe}>&-
  wait_gone 50 "$pid $started"
)

# A client that asks over TLS ends with its question, also on a slow machine where timeout does
# not know its child yet: a client that stays would hold our lock for ever.
clients_end() (
  # shellcheck source=/dev/null
  source "$here/lib/process.sh" && source "$here/lib/wire.sh"
  host() { echo 127.0.0.1; }
  state=$scratch
  mkdir "$scratch/slow"
  # shellcheck disable=SC2016 # for the script
  printf '#!/bin/bash\nshift\n"$@" <&0 &\nsleep 1\nwait\n' >"$scratch/slow/timeout"
  # shellcheck disable=SC2016 # for the script
  printf '#!/bin/bash\necho $$ >"%s/client"\nprintf +OK\nexec sleep 60\n' "$scratch" >"$scratch/slow/openssl"
  chmod +x "$scratch/slow/"*
  exec {held}<"$scratch"
  flock -n "$held" || return
  is "$(PATH=$scratch/slow:$PATH && talk_tls 1 3 hello)" "$(ascii +OK)" || return
  exec {held}<&-
  flock -n "$scratch" true && sleep 0.2 && is_gone "$(<"$scratch/client")"
)

# up_in_pipe fails if a broker keeps the pipe of its caller open.
# shellcheck disable=SC2016 # for the inner shell
up_in_pipe() { timeout 600 bash -c 'exec 7>&1; "$0" up "$@" 7>&1 | cat' "$brokers" "$@" >"$scratch/env"; }

lifecycle() {
  local each pid_before pids
  check "up returns, and its pipe is closed" up_in_pipe "$@"
  "$brokers" status
  sed 's/^/WARNING: not tested: /' "$BROKERBENCH_STATE/skipped"
  pids=$(our_pids)
  check "up again changes nothing" same_again "$@"
  check "in the environment, our own are not mistaken for given ones" sourced_again "$@"
  check "no process was replaced" is "$(our_pids)" "$pids"
  for each; do
    grep -q "^$each:" "$BROKERBENCH_STATE/skipped" || dies_and_comes_back "$each"
  done
  for each; do
    grep -q "^$each:" "$BROKERBENCH_STATE/skipped" || check "up brings back $each, which died" revives "$each"
  done
  check "down of one" "$brokers" down "$1"
  check "forgets its URL" fails 1 has_url "$1"
  for each in "${@:2}"; do check "keeps that of $each" has_url "$each"; done
  nothing_is_left "$@"
}

same_again() { "$brokers" up "$@" | diff "$scratch/env" -; }

sourced_again() (
  # shellcheck disable=SC1091
  source "$scratch/env"
  same_again "$@" && ! "$brokers" status | grep given
)

dies_and_comes_back() {
  local before
  before=$("$brokers" pid "$1")
  check "$1: has a process" fails 1 is_gone "$before"
  check "$1: stop" "$brokers" stop "$1"
  check "$1: its process is gone" is_gone "$before"
  check "$1: is stopped" says stopped status_of "$1"
  check "$1: cannot be stopped twice" fails 1 "$brokers" stop "$1"
  check "$1: start" "$brokers" start "$1"
  check "$1: is another process" test "$("$brokers" pid "$1")" != "$before"
  check "$1: at the same URL" same_again "$1"
  check "$1: pause" "$brokers" pause "$1"
  check "$1: is paused" says paused status_of "$1"
  check "$1: resume" "$brokers" resume "$1"
  check "$1: runs" says running status_of "$1"
}

has_url() {
  local variable=${1/mosquitto/mqtt}
  grep -qs "BROKERBENCH_${variable^^}_URL" "$BROKERBENCH_STATE/env" || return 1
}

revives() { kill -KILL "$("$brokers" pid "$1")" && "$brokers" up "$1" >/dev/null && status_of "$1" | grep running; }

nothing_is_left() {
  "$brokers" pause "${!#}" # down ends a paused one too
  check "down" "$brokers" down
  check "no process is left" is "$(our_pids)" ""
  check "no folder is left" test ! -e "$BROKERBENCH_STATE"
  check "down again" "$brokers" down
}

usage_is_explained
foreign_folder_is_left_alone
given_broker_is_used_as_it_is
missing_program_is_a_reason_to_skip
check "services are refused while packages are installed" services_are_refused
check "who asks over TLS ends with the question" clients_end
check "an archive without a folder lib is a reason to skip" archive_without_lib_is_a_reason_to_skip
if command -v python3 >/dev/null; then
  check "a process has ended with its last thread" threads_are_waited_for
fi
for each in {1..10}; do check "ports are one set's at a time, of few ($each)" ports_are_reserved; done
(($#)) || set -- nats redis rabbitmq kafka
lifecycle "$@"

verdict
