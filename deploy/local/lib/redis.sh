# shellcheck shell=bash
# Redis and Valkey: `redis` is this Debian's package, `redis8` and `valkey` are those of
# Debian 13. On one server, the default user would need no password on either
# listener, so TLS with a password has a second server. Several nodes are a master
# and its replicas, without TLS, with three sentinels that make a replica the master when
# it has been away for three seconds. `redis-cluster` is a Redis Cluster: three masters, and a
# replica of each, which is no node. Each has a file that names them all, so that none has to
# join.

redis_units() {
  echo redis
  alone || echo redis-tls
}
redis_shared() {
  if is_redis_cluster; then
    echo replica1 replica2 replica3
  else
    ((nodes == 1)) || echo sentinel1 sentinel2 sentinel3
  fi
}
redis_ports() { echo plain front tls && { ! is_redis_cluster || echo bus; }; }
redis_shared_ports() { ! is_redis_cluster || echo bus1 bus2 bus3; }
is_redis_cluster() { [[ $name == redis-cluster ]]; }

redis_install() { if [[ $name == redis || $name == redis-cluster ]]; then need redis-server redis-server; else need_trixie; fi; }

redis_configure() {
  mkdir -p "$dir/data" "$dir/data-tls" || return
  {
    redis_common data
    echo "port $(port plain)"
    if is_redis_cluster; then
      redis_member bus "$index"
    elif ((index > 1)); then
      echo "replicaof $(node 1 && echo "$(host) $(port plain)")"
    fi
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

# redis_member BUS ID prints how a server of a cluster is configured, and writes its file of nodes.
redis_member() {
  [[ -e $dir/nodes$2.conf ]] || redis_nodes "$2" >"$dir/nodes$2.conf"
  cat <<EOF
cluster-enabled yes
cluster-port $(port "$1")
cluster-config-file "$dir/nodes$2.conf"
cluster-node-timeout 3000
EOF
}

# redis_nodes ID prints the servers of a cluster, as that one knows them: the masters, with a third of the
# slots each, and their replicas.
redis_nodes() (
  for ((each = 1; each <= nodes; each++)); do
    node "$each"
    redis_node "$1" "$each" master "$(host):$(port plain)@$(port bus)" - "$each" "$((16384 * (each - 1) / nodes))-$((16384 * each / nodes - 1))"
    redis_node "$1" $((nodes + each)) slave "$(in_home host):$(port "replica$each")@$(port "bus$each")" "$(printf %040d "$each")" "$each"
  done
  echo "vars currentEpoch $nodes lastVoteEpoch 0"
)

# redis_node SELF ID ROLE ADDRESS MASTER EPOCH [SLOTS] prints one of them.
redis_node() {
  local role=$3
  [[ $1 != "$2" ]] || role=myself,$role
  printf '%040d %s %s %s 0 0 %d connected%s\n' "$2" "$4" "$role" "$5" "$6" "${7:+ $7}"
}

# redis_replica UNIT prints how a replica in a cluster is configured.
redis_replica() {
  local data='' listen
  listen=$(host)
  mkdir -p "$dir/$1"
  redis_common "$1"
  echo "port $(port "$1")"
  redis_member "bus${1#replica}" $((nodes + ${1#replica}))
}

redis_master=mymaster # as sentinels call it by custom

# redis_sentinel UNIT prints how a sentinel is configured. It adds to that what it finds.
redis_sentinel() {
  local each
  cat <<EOF
bind $(host)
protected-mode no
port $(port "$1")
dir "$home"
sentinel monitor $redis_master $(node 1 && echo "$(host) $(port plain)") 2
sentinel down-after-milliseconds $redis_master 3000
sentinel failover-timeout $redis_master 10000
sentinel parallel-syncs $redis_master $((nodes - 1))
EOF
  for ((each = 2; each <= nodes; each++)); do # else it asks for them every ten seconds
    echo "sentinel known-replica $redis_master $(node "$each" && echo "$(host) $(port plain)")"
  done
}

redis_launch_shared() {
  local unit what=sentinel as=(--sentinel)
  ! is_redis_cluster || what=replica as=()
  for unit in $(redis_shared); do
    alive "$unit" && continue
    [[ -e $home/$unit.conf ]] || "redis_$what" "$unit" >"$home/$unit.conf"
    spawn "$unit" "$@" "$unit.conf" "${as[@]}"
  done
}

redis_launch() {
  local unit server=(redis-server)
  [[ $name == redis || $name == redis-cluster ]] || need_trixie || return
  [[ $name != redis8 ]] || server=("${in_trixie[@]}" redis-server)
  [[ $name != valkey ]] || server=("${in_trixie[@]}" valkey-server)
  in_home redis_launch_shared "${server[@]}"
  for unit in "${units[@]}"; do
    alive "$unit" || spawn "$unit" "${server[@]}" "$unit.conf"
  done
}

redis_answers() {
  [[ $(talk "$(port plain)" 5 'PING\r\n') == "$(ascii +PONG)" ]] || return
  alone || [[ $(talk_tls "$(port tls)" 3 "AUTH $tls_user $tls_password\r\n") == "$(ascii +OK)" ]]
}

# A replica that has all of the master's data is "online" to it. The sentinels
# know the master, its replicas and each other. They do not know QUIT, but close a connection
# that breaks the protocol.
redis_formed() {
  local each online selected
  ! is_redis_cluster || { redis_cluster_formed; return; }
  mapfile -t selected < <(seq "$nodes") # only the master lists the replicas, also if it was not selected
  for each in $(redis_shared); do
    in_home ask "$(port "$each")" 'INFO sentinel\r\n*x\r\n' | grep -q "status=ok,.*slaves=$((nodes - 1)),sentinels=3" || return
  done
  online=$(each_node redis_replicas | grep -c 'state=online')
  ((online == nodes - 1))
}

# A cluster is formed when all of its servers say so, and each master has its replica. After a failover
# a node may be the replica.
redis_cluster_formed() {
  local each online
  online=$(for ((each = 1; each <= nodes; each++)); do
    node "$each"
    redis_joined "$(port plain)" && in_home redis_joined "$(port "replica$each")" || exit
  done) || return
  (($(wc -l <<<"$online") == nodes))
}

# redis_joined PORT tells whether the server there sees the whole cluster, and prints its replicas.
redis_joined() {
  ask "$1" 'CLUSTER INFO\r\nQUIT\r\n' | grep -q '^cluster_state:ok' || return
  ! ask "$1" 'CLUSTER NODES\r\nQUIT\r\n' | grep -qE 'fail|handshake|disconnected' || return
  ask "$1" 'INFO replication\r\nQUIT\r\n' | grep '^slave[0-9]*:.*state=online' || :
}

# redis_replicas prints the replicas of the current node.
redis_replicas() { ask "$(port plain)" 'INFO replication\r\nQUIT\r\n' | grep '^slave[0-9]*:' || :; }

redis_url() {
  local each list='' scheme=redis
  [[ $name != valkey ]] || scheme=valkey
  ! is_redis_cluster || { echo "$scheme+cluster://$1" && return; }
  ((nodes > 1)) || { echo "$scheme://$1" && return; }
  for each in $(redis_shared); do
    list+=,$(in_home address "$each")
  done
  echo "$scheme+sentinel://${list#,}/$redis_master"
}
redis_tls_url() { alone || echo "rediss://$tls_login@$1?$tls_option"; }
redis_other_urls() { ((nodes == 1)) || is_redis_cluster || echo "NODES redis://$(addresses "$(front_of plain)")"; }
redis_version() {
  case $name in
  redis | redis-cluster) redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/' ;;
  redis8) trixie_version redis-server ;;
  valkey) trixie_version valkey-server ;;
  esac
}
