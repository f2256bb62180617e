# shellcheck shell=bash
# The provider "docker": brokers as containers, see compose.yaml.

docker_answers() { timeout 5 docker info && docker compose version; } >/dev/null 2>&1

docker_set() {
  listen=0.0.0.0 # of the container; outside, compose.yaml binds to 127.0.0.1
  data=/tmp # of the container
  classes="/opt/kafka/libs/*"
  mapfile -t units < <("${kind}_units")
  units=("${units[@]/#$kind/$name}") # services are named for the broker
}

# compose runs a command of docker compose in a project of this state folder.
compose() {
  local project
  project=brokerbench-$(cksum <<<"$state" | cut -d ' ' -f 1)
  (
    export BROKERBENCH_STATE=$state
    while IFS='=' read -r what number; do
      declare -x "${name^^}_${what^^}=$number"
    done <"$dir/ports"
    docker compose -p "$project" -f "$here/compose.yaml" "$@"
  ) </dev/null 2>>"$home/compose.log"
}

docker_up() {
  echo docker >"$home/provider"
  docker_start
}

docker_start() {
  docker_resume
  { configure && docker_launch && docker_wait; } || {
    docker_down
    return 1
  }
}

docker_launch() {
  compose up -d --no-deps "${units[@]}" >/dev/null || skip "docker compose up: $(tail -n 1 "$home/compose.log")"
}

# docker_wait waits up to two minutes until a running broker answers.
docker_wait() {
  local deadline=$((SECONDS + 120))
  until "${kind}_answers"; do
    [[ $(docker_condition) == running ]] || skip "container ended: $(compose logs --tail 1 "$name")" || return
    ((SECONDS < deadline)) || skip "no answer in 120 s; see docker compose logs" || return
    sleep 0.2
  done
}

docker_down() { docker_resume; compose rm --stop --force --volumes "${units[@]}" >/dev/null; }
docker_kill() { compose kill "${units[@]}" >/dev/null; }
docker_pause() { compose pause "${units[@]}" >/dev/null; }
docker_resume() { compose unpause "${units[@]}" >/dev/null; }
docker_pid() { docker inspect -f '{{.State.Pid}}' "$(compose ps -q "$name")" 2>/dev/null; }
docker_version() { sed -n "/^  $name:/,/image:/s/.*image: .*://p" "$here/compose.yaml"; }

# docker_condition prints running, paused or stopped.
docker_condition() {
  local running paused
  running=$(compose ps -q --status running "${units[@]}" | wc -l)
  paused=$(compose ps -q --status paused "${units[@]}" | wc -l)
  if ((running == ${#units[@]})); then
    echo running
  elif ((paused)); then
    echo paused
  else
    echo stopped
  fi
}
