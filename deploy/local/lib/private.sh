# shellcheck shell=bash
# Brokers as private processes of this machine: the provider "private". It calls
# the functions of the current broker: NAME_units, NAME_install and so on.

# private_up installs what is missing, and starts the current broker unless it
# runs and answers.
private_up() {
  "${name}_install" || return
  draw_ports $("${name}_ports") # a word each
  echo private >"$dir/provider"
  private_start
}

# private_start starts what does not run, and waits until the broker answers.
private_start() {
  local units
  units=$("${name}_units")
  signal CONT $units
  "${name}_configure" || skip "cannot be configured" || return
  "${name}_launch"
  private_wait || {
    end $units
    return 1
  }
}

# private_wait waits a minute for the answer of a broker that runs.
private_wait() {
  local unit deadline=$((SECONDS + 60))
  until "${name}_answers"; do
    for unit in $("${name}_units"); do
      alive "$unit" || skip "$unit ended: $(tail -n 1 "$dir/$unit.log")" || return
    done
    ((SECONDS < deadline)) || skip "no answer in 60 s; see $dir" || return
    sleep 0.1
  done
}

private_down() { end $("${name}_units"); }
private_stop() { signal KILL $("${name}_crash"); }
private_pause() { signal STOP $("${name}_crash"); }
private_resume() { signal CONT $("${name}_crash"); }
private_pid() { pid_of "$name"; }
private_running() { pid_of "$name"; }
