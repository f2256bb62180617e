# shellcheck shell=bash
# RabbitMQ, with streams and the management API: `rabbitmq` is this Debian's package,
# `rabbitmq4` is that of Debian 13. Its nodes have a private epmd (the name
# server of Erlang nodes), so that they share nothing with other nodes. One `rabbitmq4` also listens
# for MQTT, if it is not for a measurement; the older one speaks no MQTT 5.

rabbitmq_units() { echo rabbitmq; }
rabbitmq_shared() { echo epmd; }
rabbitmq_ports() { echo plain front tls stream streamfront streamtls management dist mqtt; }

# rabbitmq_listens_mqtt tells whether a node listens for MQTT.
rabbitmq_listens_mqtt() { [[ $name == rabbitmq4 ]] && ! alone; }

rabbitmq_server=/usr/lib/rabbitmq/bin/rabbitmq-server

rabbitmq_install() {
  if [[ $name != rabbitmq ]]; then
    need_trixie
  elif [[ ! -x $rabbitmq_server ]]; then
    need "$rabbitmq_server" rabbitmq-server
  fi
}

rabbitmq_configure() {
  local mqtt=
  ! rabbitmq_listens_mqtt || mqtt=', rabbitmq_mqtt'
  echo "[rabbitmq_stream, rabbitmq_management, rabbitmq_consistent_hash_exchange$mqtt]." >"$dir/enabled_plugins"
  cat >"$dir/rabbitmq.conf" <<EOF
listeners.tcp.default = $listen:$(port plain)
listeners.ssl.default = $listen:$(port tls)
stream.listeners.tcp.1 = $listen:$(port stream)
stream.listeners.ssl.1 = $listen:$(port streamtls)
stream.advertised_host = $(host "$(front_of stream)")
stream.advertised_port = $(port "$(front_of stream)")
stream.advertised_tls_host = $(host)
stream.advertised_tls_port = $(port streamtls)
stream.frame_max = 4194304
management.tcp.ip = $listen
management.tcp.port = $(port management)
ssl_options.cacertfile = $state/tls/ca.pem
ssl_options.certfile = $state/tls/server.pem
ssl_options.keyfile = $state/tls/server.key
ssl_options.verify = verify_none
loopback_users = none
load_definitions = $dir/definitions.json
$(! rabbitmq_listens_mqtt || rabbitmq_mqtt)
$(rabbitmq_cluster)
EOF
  cat >"$dir/definitions.json" <<EOF
{
  "vhosts": [{"name": "/"}],
  "users": [$(rabbitmq_user guest guest), $(rabbitmq_user "$tls_user" "$tls_password")],
  "permissions": [$(rabbitmq_permission guest), $(rabbitmq_permission "$tls_user")]
}
EOF
}

# rabbitmq_mqtt prints the settings of MQTT. By default RabbitMQ drops messages of QoS 0 for a client to which it
# cannot send at once, if more than 200 wait.
rabbitmq_mqtt() {
  echo "mqtt.listeners.tcp.1 = $listen:$(port mqtt)"
  echo "mqtt.mailbox_soft_limit = 0"
}

# rabbitmq_cluster prints the nodes that are to find each other.
rabbitmq_cluster() {
  local each
  ((nodes > 1)) || return 0
  echo "cluster_formation.peer_discovery_backend = classic_config"
  for ((each = 1; each <= nodes; each++)); do
    echo "cluster_formation.classic_config.nodes.$each = $(rabbitmq_node "$each")"
  done
}

# rabbitmq_node N prints the name of a node, which says where its epmd is.
rabbitmq_node() {
  local host=localhost number=
  [[ ! -e $home/network ]] || host=$(node "$1" && host)
  ((nodes == 1)) || number=$1
  echo "brokerbench$number@$host"
}

rabbitmq_user() { # the hash is salted with the four bytes "salt"
  local hash
  hash=$( (printf salt && printf 'salt%s' "$2" | openssl dgst -sha256 -binary) | base64)
  printf '{"name": "%s", "password_hash": "%s", "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ["administrator"]}' "$1" "$hash"
}

rabbitmq_permission() {
  printf '{"user": "%s", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}' "$1"
}

rabbitmq_launch() {
  [[ $name == rabbitmq ]] || need_trixie || return
  rabbitmq_launch_epmd || return
  alive rabbitmq && return
  rabbitmq_cookie || return
  local settings=(
    "PATH=$PATH" LANG=C.UTF-8 "HOME=$home/home"
    "ERL_EPMD_ADDRESS=$(host)" "ERL_EPMD_PORT=$(port epmd)"
    "RABBITMQ_NODENAME=$(rabbitmq_node "$index")" "RABBITMQ_USE_LONGNAME=$(rabbitmq_long)"
    "RABBITMQ_NODE_IP_ADDRESS=$(host)" "RABBITMQ_NODE_PORT=$(port plain)" "RABBITMQ_DIST_PORT=$(port dist)"
    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-start_epmd false -kernel inet_dist_use_interface {$(host | tr . ,)}"
    RABBITMQ_CONF_ENV_FILE=/dev/null "RABBITMQ_CONFIG_FILE=$dir/rabbitmq.conf"
    "RABBITMQ_ENABLED_PLUGINS_FILE=$dir/enabled_plugins"
    "RABBITMQ_MNESIA_BASE=${data:-$dir}/mnesia" "RABBITMQ_LOG_BASE=$dir/log" "RABBITMQ_SCHEMA_DIR=$dir/schema"
    "RABBITMQ_GENERATED_CONFIG_DIR=$dir/generated" "RABBITMQ_PID_FILE=$dir/node.pid"
    RUNNING_UNDER_SYSTEMD=true # so that the script becomes the node instead of waiting for it
  )
  local command=(env -i "${settings[@]}" "$rabbitmq_server")
  [[ $name == rabbitmq ]] || command=("${in_trixie[@]}" "${command[@]}")
  spawn rabbitmq "${command[@]}"
}

# rabbitmq_cookie makes the secret by which the nodes know each other.
rabbitmq_cookie() {
  [[ ! -e $home/home/.erlang.cookie ]] || return 0
  mkdir -p "$home/home" && tr -dc '[:upper:]' </dev/urandom | head -c 20 >"$home/home/.erlang.cookie"
  chmod 400 "$home/home/.erlang.cookie"
}

# rabbitmq_launch_epmd waits until epmd answers: a node that finds none would start
# its own, which would be left behind.
rabbitmq_launch_epmd() {
  if [[ -e $home/network ]]; then # each machine has its own
    spawn epmd epmd -address "$(host)" -port "$(port epmd)"
  else
    in_home rabbitmq_launch_shared_epmd
  fi
}

rabbitmq_launch_shared_epmd() {
  alive epmd && return
  spawn epmd epmd -address 127.0.0.1 -port "$(port epmd)"
  until is_open "$(port epmd)"; do
    alive epmd || skip "epmd ended: $(tail -n 1 "$dir/epmd.log")" || return
    sleep 0.05
  done
}

# rabbitmq_long tells whether names have the address of a machine, and not its short name.
rabbitmq_long() { if [[ -e $home/network ]]; then echo true; else echo false; fi; }

# The answer to the protocol's header is a method frame, Connection.Start.
rabbitmq_answers() {
  local header='AMQP\x00\x00\x09\x01' frame=01
  [[ $(talk "$(port plain)" 1 "$header") == "$frame" ]] &&
    [[ $(talk_tls "$(port tls)" 1 "$header") == "$frame" ]] && is_open "$(port stream)" && is_open "$(port streamtls)" && is_open "$(port management)"
}

# Nodes are a cluster when each sees that all of them run.
rabbitmq_formed() { each_node rabbitmq_joined; }
rabbitmq_joined() {
  local login running
  login=$(printf guest:guest | base64)
  running=$(http "$(port management)" '/api/nodes?columns=running' "Authorization: Basic $login" | grep -o '"running":true' | wc -l)
  ((running == nodes))
}

rabbitmq_url() { echo "amqp://guest:guest@$1"; }
rabbitmq_options() { echo "?management=http://$(address management)"; } # without it policies are not known
rabbitmq_tls_url() { echo "amqps://$tls_login@$1?$tls_option"; }
rabbitmq_other_urls() {
  echo "STREAM rabbitmq-stream://guest:guest@$(addresses "$(front_of stream)")"
  echo "STREAM_TLS rabbitmq-stream+tls://$tls_login@$(addresses streamtls)?$tls_option"
  echo "MANAGEMENT http://guest:guest@$(address management)"
  ! rabbitmq_listens_mqtt || echo "MQTT mqtt://guest:guest@$(address mqtt)"
}
rabbitmq_version() {
  if [[ $name == rabbitmq ]]; then
    realpath "$rabbitmq_server" | sed 's/.*rabbitmq_server-\([^/]*\).*/\1/'
  else
    trixie_version rabbitmq-server
  fi
}
