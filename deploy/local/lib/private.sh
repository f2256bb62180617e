# shellcheck shell=bash
# The provider "private": brokers as processes of this machine. It calls the
# functions of the file of the broker's kind: KIND_units, KIND_install and so on.

# private_set sets what the configuration depends on.
private_set() {
  listen=127.0.0.1
  data=
  classes="$kafka_jars/*"
  mapfile -t units < <("${kind}_units")
}

private_up() {
  "${kind}_install" || return
  echo private >"$home/provider"
  private_start
}

# private_start starts the nodes that do not run, and waits until they answer. Nodes
# that come to life together are launched together: some wait for each other.
private_start() {
  { each_node private_launch && each_node private_wait && private_form; } || {
    private_down
    return 1
  }
}

private_launch() {
  each_unit signal_family CONT
  some_unit_lives || ports_are_free || return
  configure && "${kind}_launch"
}

some_unit_lives() {
  local unit
  for unit in "${units[@]}"; do
    ! alive "$unit" || return 0
  done
  return 1
}

# ports_are_free looks before the node starts, and after a kill: another program that listens
# there might answer instead.
ports_are_free() {
  local unit what
  for unit in "${units[@]}"; do
    wait_gone 100 "$(cat "$dir/$unit.pid" 2>/dev/null)"
  done
  for what in $("${kind}_ports"); do
    ! is_open "$(port "$what")" || skip "$(of_node)port $(port "$what") ($what) is taken by another process" || return
  done
}

# private_wait waits until the current node answers; for up to a minute by default.
private_wait() {
  local unit deadline=$((SECONDS + $(patience)))
  until "${kind}_answers"; do
    for unit in "${units[@]}"; do
      alive "$unit" || skip "$(of_node)$unit ended: $(last_words "$unit")" || return
    done
    ((SECONDS < deadline)) || skip "$(of_node)no answer in $(patience) s; see $dir" || return
    sleep 0.1
  done
}

# private_form waits until all nodes together are a cluster. While one is dead, there
# is nothing to wait for.
private_form() {
  local each deadline=$((SECONDS + $(patience)))
  ((nodes > 1)) || return 0
  for ((each = 1; each <= nodes; each++)); do
    (node "$each" && has_process) || return 0
  done
  until "${kind}_formed"; do
    ((SECONDS < deadline)) || skip "$nodes nodes, but no cluster in $(patience) s; see $home" || return
    sleep 0.1
  done
}

of_node() { ((nodes == 1)) || echo "node $index: "; }

patience() { echo "${BROKERBENCH_START_TIMEOUT:-60}"; }

# last_words UNIT prints the line of its log that says why it ended.
last_words() {
  local log=$dir/$1.log
  grep -m 1 -ihE 'address (is )?already in use|eaddrinuse|no space left|permission denied' "$log" || tail -n 1 "$log"
}

# all_units COMMAND... runs it for the units of each node selected; with the last nodes
# also for shared processes. In order: a RabbitMQ node whose epmd is gone may start
# another one, which would be left behind.
all_units() {
  local failed=0 unit
  each_node each_unit "$@" || failed=1
  ((${#selected[@]} == nodes)) || return "$failed"
  for unit in $("${kind}_shared"); do
    in_home "$@" "$unit" || failed=1
  done
  return "$failed"
}

each_unit() {
  local failed=0 unit
  for unit in "${units[@]}"; do
    "$@" "$unit" || failed=1
  done
  return "$failed"
}

# private_down ends them. A cluster is killed: nodes that end in order wait for each other.
private_down() {
  ((nodes == 1)) || private_kill
  all_units end
}

# private_kill kills them, and waits until their children have ended.
private_kill() {
  local family
  family=$(all_units family_of_unit)
  [[ $family ]] || return
  all_units signal KILL
  wait_gone 100 "$family"
}

private_pause() { each_node has_process && all_units signal_family STOP; }
private_resume() { each_node has_process && all_units signal_family CONT; }
private_version() { "${kind}_version"; }
private_pid() { each_node pid_if_any | grep .; }
pid_if_any() { pid_of "$kind" || :; }
has_process() { pid_of "$kind" >/dev/null; }

# private_condition prints running, paused or stopped: the worst of all units of the node.
private_condition() {
  local unit condition=running
  for unit in "${units[@]}"; do
    if ! alive "$unit"; then
      condition=stopped
    elif [[ $condition == running ]] && is_paused "$unit"; then
      condition=paused
    fi
  done
  echo "$condition"
}
