#!/usr/bin/env bash
# Tests what ./brokers does besides the usual six brokers: options, durability, the
# root of a Debian 13, and clusters: servers_test.sh [NAME...], the clusters to be
# tested, default all. Some minutes, and 2 GB of memory.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/lib/testing.sh"
source "$here/lib/wire.sh"
host() { echo 127.0.0.1; } # all that wire.sh needs of ports.sh

port_of() { sed -n "s/^$2=//p" "$BROKERBENCH_STATE/$1/ports"; }

# redis FOLDER COMMAND prints the answer of a Redis or Valkey.
redis() { ask "$(port_of "$1" plain)" "$2\r\nQUIT\r\n" | tr -d '\r'; }

quietly() { "$@" >/dev/null 2>&1; }

wrong_options_are_explained() {
  check "two nodes are an error of usage" says 'want 1 or 3' "$brokers" up --nodes 2
  check "so is no number" fails 2 "$brokers" up --nodes
  check "durability node is a cluster" says 'node is --nodes 3' "$brokers" up --durability node
  check "Mosquitto has no cluster" says 'has no cluster' "$brokers" up --nodes 3 nats mosquitto
  check "an unknown option" says 'no option --node' "$brokers" up --node 3
  check "nothing was begun" test ! -e "$BROKERBENCH_STATE"
  check "with wants --" says '-- is missing' "$here/with" --nodes 3 redis
}

# Nodes that another program starts are only prepared.
nodes_are_prepared() {
  check "nodes are told" says "argument	redis.conf" "$brokers" nodes --nodes 3 --durability machine redis
  check "with their URL" grep -qF "url	redis+sentinel://127.0.0.1:" "$scratch/said"
  check "and all of them" is "$(grep -c '^node' "$scratch/said")" 3
  check "none is started" is "$(our_pids)" ""
  check "none answers" fails 1 "$brokers" answers redis 2
  check "nor waits for who draws ports" fails 1 flock /tmp/brokerbench-ports timeout 60 "$brokers" answers redis 2
  check "nor are they a cluster" fails 1 "$brokers" formed redis
  check "a node that there is not" fails 2 "$brokers" answers redis 4
  check "one broker at a time" fails 2 "$brokers" nodes redis nats
  rm -rf "$BROKERBENCH_STATE"
}

choices_are_kept() {
  quietly "$brokers" up redis
  quietly redis redis 'SET kept 1'
  check "another number of nodes is refused" says 'redis was started with --nodes 1: end it first' "$brokers" up --nodes 3 redis
  check "and another durability" fails 1 "$brokers" up --durability machine redis
  # shellcheck disable=SC2016 # the size of the answer
  check "nothing was lost" says '$1' redis redis 'GET kept'
  check "it has no other node" says 'redis has no node 2: want 1 to 1' "$brokers" kill redis 2
  check "its only node can be named" "$brokers" pid redis 1
  quietly "$brokers" down
}

# survives WANT DURABILITY NAME keeps something in a Redis or Valkey over a kill -9.
survives() {
  quietly "$brokers" up --durability "$2" "$3"
  redis "$3" 'SET promise kept'
  "$brokers" kill "$3" && "$brokers" start "$3" || return
  redis "$3" 'GET promise' | grep -q kept
  is "$?" "$1"
}

asked_of_redis() { redis "$1" "CONFIG GET append[of]*" | grep -v '[*$]' | paste -sd ' '; }

redis_keeps_what_it_is_told() {
  local name
  for name in redis redis8 valkey; do
    check "$name: accepted does not survive" survives 1 accepted "$name"
    check "$name: and says so" says 'appendonly no' asked_of_redis "$name"
    quietly "$brokers" down
    check "$name: process survives" survives 0 process "$name"
    check "$name: and says so" says 'appendfsync no' asked_of_redis "$name"
    quietly "$brokers" down
    check "$name: machine survives" survives 0 machine "$name"
    check "$name: and says so" says 'appendfsync always' asked_of_redis "$name"
    quietly "$brokers" down
  done
}

nats_syncs() { http "$(port_of nats monitor)" /varz | tr -d ' \n'; }

# in_stream asks for a stream with a message.
in_stream() {
  local stream='{"name":"KEPT","subjects":["kept"]}'
  ask "$(port_of "$1" plain)" "CONNECT {}\r\nSUB in 1\r\nPUB \$JS.API.STREAM.CREATE.KEPT in ${#stream}\r\n$stream\r\n"
  ask "$(port_of "$1" plain)" "CONNECT {}\r\nPUB kept 1\r\n1\r\nPING\r\n"
  streams "$1"
}

streams() { http "$(port_of "$1" monitor)" '/jsz?streams=1' | tr -d ' \n'; }

nats_keeps_what_it_is_told() {
  quietly "$brokers" up nats
  check "nats: has JetStream" says '"messages":1' in_stream nats
  check "nats: does not sync each message" fails 1 says '"sync_always":true' nats_syncs
  check "nats: kill" "$brokers" kill nats
  check "nats: start" "$brokers" start nats
  check "nats: has what it had" says '"messages":1' streams nats
  quietly "$brokers" down
  quietly "$brokers" up --durability machine nats
  check "nats: machine syncs each message" says '"sync_always":true' nats_syncs
  quietly "$brokers" down
}

plugins_are_enabled() {
  local name login
  login=$(printf guest:guest | base64)
  for name in rabbitmq rabbitmq4; do
    quietly "$brokers" up "$name"
    check "$name: streams" says "BROKERBENCH_${name^^}_STREAM_URL" "$brokers" up "$name"
    check "$name: listens for them" says '"protocol":"stream"' http "$(port_of "$name" management)" /api/overview "Authorization: Basic $login"
  done
  check "rabbitmq4: listens for MQTT" says '"protocol":"mqtt"' http "$(port_of rabbitmq4 management)" /api/overview "Authorization: Basic $login"
  quietly "$brokers" down
}

missing_root_is_a_reason_to_skip() {
  mkdir "$scratch/bin"
  ln -s /usr/bin/* /usr/sbin/* /bin/* "$scratch/bin/" 2>/dev/null
  rm -f "$scratch/bin/debootstrap" "$scratch/bin/apt-get"
  local -x PATH=$scratch/bin XDG_CACHE_HOME=$scratch/cache
  check "without debootstrap, it is skipped" says 'SKIPPED valkey: debootstrap is missing' "$brokers" up valkey
  "$brokers" down
}

failed_root_leaves_nothing() {
  local make=(unshare -m bash "$here/lib/make-trixie" "$scratch/root" "file://$scratch/nowhere" mosquitto)
  check "a root of nowhere is an error" fails 1 quietly "${make[@]}"
  check "which debootstrap explains" says "E: " "${make[@]}"
  check "and leaves nothing" is "$(echo "$scratch"/root*)" "$scratch/root.lock"
}

root_is_clean() {
  local root=${XDG_CACHE_HOME:-$HOME/.cache}/brokerbench/trixie
  check "no mount is left" fails 1 grep -q "$root" /proc/mounts
  check "no state is in the root" test ! -e "$root$scratch"
}

cluster() {
  local name=$1 pid
  check "$name: three nodes" quietly "$brokers" up --require --nodes 3 "$name"
  check "$name: all run" is "$(running "$name")" "1 2 3"
  check "$name: the addresses of all" grep -qE "_URL='[^']*127[^,']*,127[^,']*,127" "$BROKERBENCH_STATE/env"
  pid=$("$brokers" pid "$name" 2)
  check "$name: kill one" "$brokers" kill "$name" 2
  check "$name: it is gone" is_gone "$pid"
  check "$name: the others run" is "$(running "$name")" "1 3"
  check "$name: they have a process each" is "$("$brokers" pid "$name" | wc -l)" 2
  check "$name: up again brings it back" quietly "$brokers" up "$name"
  check "$name: as another process" test "$("$brokers" pid "$name" 2)" != "$pid"
  check "$name: pause one" "$brokers" pause "$name" 3
  check "$name: it is paused" says paused status_of "$name/3"
  check "$name: the others run" is "$(running "$name")" "1 2"
  check "$name: resume it" "$brokers" resume "$name" 3
  check "$name: kill all" "$brokers" kill "$name"
  check "$name: none runs" is "$(running "$name")" ""
  check "$name: start all" "$brokers" start "$name"
  check "$name: all run again" is "$(running "$name")" "1 2 3"
  check "$name: down" "$brokers" down
  check "$name: no process is left" is "$(our_pids)" ""
}

# running prints the nodes that run.
running() { "$brokers" status | sed -n "s,^$1/\([0-9]\) *running.*,\1,p" | paste -sd ' '; }

# Another Redis there would answer in place of the node.
taken_port_is_named() {
  local port other
  quietly "$brokers" up --nodes 3 redis
  port=$(port_of redis/2 plain)
  "$brokers" kill redis 2
  redis-server --port "$port" --save '' --dir "$scratch" >/dev/null &
  other=$!
  until [[ $(talk "$port" 5 'PING\r\n') == "$(ascii +PONG)" ]]; do sleep 0.05; done
  check "a port that is taken is said" says "redis/2: cannot start: node 2: port $port (plain) is taken" "$brokers" start redis 2
  check "the others run" is "$(running redis)" "1 3"
  kill "$other"
  wait "$other"
  check "when it is free again, the node starts" "$brokers" start redis 2
  quietly "$brokers" down
}

# interrupt SIGNAL ends an `up` on its way, when its first node runs.
interrupt() {
  local job
  "$brokers" up --nodes 3 nats redis rabbitmq >/dev/null 2>&1 &
  job=$!
  until compgen -G "$BROKERBENCH_STATE/*/1/*.pid" >/dev/null; do sleep 0.05; done
  kill -s "$1" "$job"
  wait "$job"
  "$brokers" down || return
  is "$(our_pids)" "" && test ! -e "$BROKERBENCH_STATE"
}

with_hands_on_the_options() {
  # shellcheck disable=SC2016 # for the inner shell
  check "with has the cluster's URL" says 'redis://127.0.0.1' "$here/with" --nodes 3 redis -- bash -c 'echo "$BROKERBENCH_REDIS_NODES_URL"'
  check "and ends it" test ! -e "$BROKERBENCH_STATE"
}

wrong_options_are_explained
nodes_are_prepared
choices_are_kept
redis_keeps_what_it_is_told
nats_keeps_what_it_is_told
plugins_are_enabled
missing_root_is_a_reason_to_skip
failed_root_leaves_nothing
root_is_clean
taken_port_is_named
check "up that was interrupted leaves nothing after down" interrupt INT
check "nor one that was killed" interrupt KILL
with_hands_on_the_options
(($#)) || set -- nats redis valkey rabbitmq rabbitmq4 kafka
for each; do cluster "$each"; done
verdict
