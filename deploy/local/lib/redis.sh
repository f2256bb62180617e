# shellcheck shell=bash
# Redis and Valkey: `redis` is this Debian's package, `redis8` and `valkey` are those of
# Debian 13. On one server, the default user would need no password on either
# listener, so TLS with a password has a second server. Several nodes are a master
# and its replicas, without TLS.

redis_units() {
  echo redis
  alone || echo redis-tls
}
redis_shared() { :; }
redis_ports() { echo plain front tls; }

redis_install() { if [[ $name == redis ]]; then need redis-server redis-server; else need_trixie; fi; }

redis_configure() {
  mkdir -p "$dir/data" "$dir/data-tls" || return
  {
    redis_common data
    echo "port $(port plain)"
    ((index == 1)) || echo "replicaof 127.0.0.1 $(node 1 && port plain)"
  } >"$dir/redis.conf"
  {
    redis_common data-tls
    cat <<EOF
port 0
tls-port $(port tls)
tls-cert-file "$state/tls/server.pem"
tls-key-file "$state/tls/server.key"
tls-ca-cert-file "$state/tls/ca.pem"
tls-auth-clients no
user default off
user $tls_user on >$tls_password ~* &* +@all
EOF
  } >"$dir/redis-tls.conf"
}

# redis_common prints what both servers have. Without a delay, a replica need not wait
# five seconds for others to come.
redis_common() {
  cat <<EOF
bind $listen
protected-mode no
dir "${data:-$dir/$1}"
save ""
repl-diskless-sync-delay 0
$(redis_log)
EOF
}

# redis_log prints how the append-only file is kept, the only thing that outlives a process.
redis_log() {
  case $durability in
  process) printf 'appendonly yes\nappendfsync no\n' ;;
  machine) printf 'appendonly yes\nappendfsync always\n' ;;
  *) echo 'appendonly no' ;;
  esac
}

redis_launch() {
  local unit server=(redis-server)
  [[ $name == redis ]] || need_trixie || return
  [[ $name != redis8 ]] || server=("${in_trixie[@]}" redis-server)
  [[ $name != valkey ]] || server=("${in_trixie[@]}" valkey-server)
  for unit in "${units[@]}"; do
    alive "$unit" || spawn "$unit" "${server[@]}" "$unit.conf"
  done
}

redis_answers() {
  [[ $(talk "$(port plain)" 5 'PING\r\n') == "$(ascii +PONG)" ]] || return
  alone || [[ $(talk_tls "$(port tls)" 3 "AUTH $tls_user $tls_password\r\n") == "$(ascii +OK)" ]]
}

# A replica that has all of the master's data is "online" to it.
redis_formed() {
  local online
  online=$(node 1 && ask "$(port plain)" 'INFO replication\r\nQUIT\r\n' | grep -c '^slave[0-9]*:.*state=online')
  ((online == nodes - 1))
}

# go-redis takes one address: the master's.
redis_url() { echo "redis://${1%%,*}"; }
redis_tls_url() { alone || echo "rediss://$tls_login@$1?$tls_option"; }
redis_other_urls() { ((nodes == 1)) || echo "NODES redis://$(addresses "$(front_of plain)")"; }
redis_version() {
  case $name in
  redis) redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/' ;;
  redis8) trixie_version redis-server ;;
  valkey) trixie_version valkey-server ;;
  esac
}
