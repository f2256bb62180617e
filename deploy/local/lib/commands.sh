# shellcheck shell=bash
# The commands. What differs from provider to provider is in given.sh, docker.sh
# and private.sh: PROVIDER_up, PROVIDER_down, PROVIDER_stop and so on.

# up NAME... provides brokers in parallel, and prints the URLs of all that run.
up() {
  local each
  open_state
  trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM # `down` knows what they started
  make_certificates || say "openssl cannot make certificates: $(tail -n 1 "$state/openssl.log")"
  for each; do
    up_one "$each" >&2 &
  done
  wait
  write_env
  cat "$state/env"
  [[ $require == no || ! -s $state/skipped ]]
}

up_one() {
  broker "$1"
  mkdir -p "$dir"
  rm -f "$dir/why"
  choose
  provided_by "$how"
  "${how}_up" || say "SKIPPED $name: $(<"$dir/why")"
}

# choose sets how the current broker is provided: as the last time, unless the
# environment now gives another broker, or no longer gives one.
choose() {
  local before
  before=$(provider)
  if is_given; then
    how=given
  elif [[ $before == docker || $before == private ]]; then
    how=$before
  elif docker_answers; then
    how=docker
  else
    how=private
  fi
  if [[ $before && $before != "$how" ]]; then
    down_one "$name"
    mkdir -p "$dir"
  fi
}

# provided_by PROVIDER sets what the functions of that provider need.
provided_by() {
  # shellcheck disable=SC2046 # one port per word
  [[ $1 == given ]] || draw_ports $("${name}_ports")
  "$1_set"
}

# configure writes the files of the current broker.
configure() {
  [[ -d $state/tls ]] || skip "no certificates: $(tail -n 1 "$state/openssl.log")" || return
  "${name}_configure" || skip "cannot be configured"
}

# down NAME... ends brokers in parallel, and removes the state folder with the last.
down() {
  local each job jobs=() failed=0
  has_state || return 0
  open_state
  for each; do
    down_one "$each" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do
    wait "$job" || failed=1
  done
  write_env
  remove_state
  return "$failed"
}

down_one() {
  local how
  broker "$1"
  how=$(provider)
  if [[ $how ]]; then
    provided_by "$how"
    "${how}_down" || return # its folder shows what is left
  fi
  rm -rf "$dir"
}

# one NAME runs the command of that name (start, stop, pause, resume, pid).
one() {
  local how
  broker "$1"
  how=$(provider)
  [[ $how ]] || die "$name: not running; start it with: brokers up $name"
  [[ $command == pid ]] || open_state
  provided_by "$how"
  rm -f "$dir/why"
  "${how}_$command" || die "$name: cannot $command: $(cat "$dir/why" 2>/dev/null || echo "it is not running")"
}

status() {
  local each how
  for each in "${all_brokers[@]}"; do
    broker "$each"
    how=$(provider)
    if [[ -e $dir/why ]]; then
      printf '%-9s skipped: %s\n' "$name" "$(<"$dir/why")"
    elif [[ $how ]]; then
      provided_by "$how"
      printf '%-9s %-8s %-7s %-9s pid %-7s %s\n' "$name" "$("${how}_condition")" "$how" \
        "$("${how}_version")" "$("${how}_pid" || echo -)" "$(url | without_password)"
    else
      printf '%-9s stopped\n' "$name"
    fi
  done
}

without_password() { sed 's,://\([^:/?]*\):.*@,://\1:xxxxx@,'; }

# url and tls_url print the URLs of the current broker.
url() { if [[ $(provider) == given ]]; then cat "$dir/url"; else "${name}_url"; fi; }
tls_url() { if [[ $(provider) == given ]]; then cat "$dir/tls_url"; else "${name}_tls_url"; fi; }
