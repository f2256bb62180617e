# shellcheck shell=bash
# The provider "private": brokers as processes of this machine. It calls the
# functions of the current broker's own file: NAME_units, NAME_install and so on.

# private_set sets what the configuration depends on.
private_set() {
  listen=127.0.0.1
  data=$dir
  classes="$kafka_jars/*"
  read -ra units < <("${name}_units")
}

private_up() {
  "${name}_install" || return
  echo private >"$dir/provider"
  private_start
}

# private_start starts the units that do not run, and waits until the broker answers.
private_start() {
  signal CONT "${units[@]}"
  { configure && "${name}_launch" && private_wait; } || {
    private_down
    return 1
  }
}

# private_wait waits until a running broker answers; up to a minute, if nothing else is said.
private_wait() {
  local unit patience=${BROKERBENCH_START_TIMEOUT:-60}
  local deadline=$((SECONDS + patience))
  until "${name}_answers"; do
    for unit in "${units[@]}"; do
      alive "$unit" || skip "$unit ended: $(tail -n 1 "$dir/$unit.log")" || return
    done
    ((SECONDS < deadline)) || skip "no answer in $patience s; see $dir" || return
    sleep 0.1
  done
}

# private_down ends the units one by one, in order: a RabbitMQ node whose epmd is gone
# may start another one, which would be left behind.
private_down() {
  local unit failed=0
  for unit in "${units[@]}"; do
    end "$unit" || failed=1
  done
  return "$failed"
}

private_stop() { crash "${units[@]}"; }
private_pause() { private_pid >/dev/null && signal STOP "${units[@]}"; }
private_resume() { private_pid >/dev/null && signal CONT "${units[@]}"; }
private_pid() { pid_of "$name"; }
private_version() { "${name}_version"; }

# private_condition prints running, paused or stopped: the worst of all units.
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
