# shellcheck shell=bash
# RabbitMQ: Debian's package, as a node with its own epmd (the name server of Erlang
# nodes), so that it shares nothing with other nodes.

rabbitmq_units() { echo rabbitmq epmd; }
rabbitmq_ports() { echo plain tls dist epmd; }

rabbitmq_server=/usr/lib/rabbitmq/bin/rabbitmq-server

rabbitmq_install() {
  [[ -x $rabbitmq_server ]] || need "$rabbitmq_server" rabbitmq-server
}

rabbitmq_configure() {
  echo '[].' >"$dir/enabled_plugins"
  cat >"$dir/rabbitmq.conf" <<EOF
listeners.tcp.default = $listen:$(port plain)
listeners.ssl.default = $listen:$(port tls)
ssl_options.cacertfile = $state/tls/ca.pem
ssl_options.certfile = $state/tls/server.pem
ssl_options.keyfile = $state/tls/server.key
ssl_options.verify = verify_none
loopback_users = none
load_definitions = $dir/definitions.json
EOF
  cat >"$dir/definitions.json" <<EOF
{
  "vhosts": [{"name": "/"}],
  "users": [$(rabbitmq_user guest guest), $(rabbitmq_user "$tls_user" "$tls_password")],
  "permissions": [$(rabbitmq_permission guest), $(rabbitmq_permission "$tls_user")]
}
EOF
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
  alive epmd || rabbitmq_launch_epmd || return
  alive rabbitmq && return
  mkdir -p "$dir/home"
  local settings=(
    "PATH=$PATH" LANG=C.UTF-8 "HOME=$dir/home"
    ERL_EPMD_ADDRESS=127.0.0.1 "ERL_EPMD_PORT=$(port epmd)"
    RABBITMQ_NODENAME=brokerbench@localhost
    RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 "RABBITMQ_NODE_PORT=$(port plain)" "RABBITMQ_DIST_PORT=$(port dist)"
    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}"
    RABBITMQ_CONF_ENV_FILE=/dev/null "RABBITMQ_CONFIG_FILE=$dir/rabbitmq.conf"
    "RABBITMQ_ENABLED_PLUGINS_FILE=$dir/enabled_plugins"
    "RABBITMQ_MNESIA_BASE=$dir/mnesia" "RABBITMQ_LOG_BASE=$dir/log" "RABBITMQ_SCHEMA_DIR=$dir/schema"
    "RABBITMQ_GENERATED_CONFIG_DIR=$dir/generated" "RABBITMQ_PID_FILE=$dir/node.pid"
    RUNNING_UNDER_SYSTEMD=true # so that the script becomes the node instead of waiting for it
  )
  spawn rabbitmq env -i "${settings[@]}" "$rabbitmq_server"
}

# rabbitmq_launch_epmd waits until epmd answers: a node that finds none would start
# its own, which would be left behind.
rabbitmq_launch_epmd() {
  spawn epmd epmd -address 127.0.0.1 -port "$(port epmd)"
  until is_open "$(port epmd)"; do
    alive epmd || skip "epmd ended: $(tail -n 1 "$dir/epmd.log")" || return
    sleep 0.05
  done
}

# The answer to the protocol's header is a method frame, Connection.Start.
rabbitmq_answers() {
  local header='AMQP\x00\x00\x09\x01' frame=01
  [[ $(talk "$(port plain)" 1 "$header") == "$frame" ]] &&
    [[ $(talk_tls "$(port tls)" 1 "$header") == "$frame" ]]
}

rabbitmq_url() { echo "amqp://guest:guest@127.0.0.1:$(port plain)"; }
rabbitmq_tls_url() { echo "amqps://$tls_at:$(port tls)?$tls_option"; }
rabbitmq_version() { realpath "$rabbitmq_server" | sed 's/.*rabbitmq_server-\([^/]*\).*/\1/'; }
