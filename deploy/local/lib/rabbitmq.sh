# shellcheck shell=bash
# RabbitMQ: Debian's package, as a node of its own with its own epmd (the name
# server of Erlang nodes), so that it shares nothing with another one.

rabbitmq_units() { echo rabbitmq epmd; }
rabbitmq_ports() { echo plain tls dist epmd; }

rabbitmq_server=/usr/lib/rabbitmq/bin/rabbitmq-server

rabbitmq_install() {
  [[ -x $rabbitmq_server ]] || need "$rabbitmq_server" rabbitmq-server
}

rabbitmq_configure() {
  mkdir -p "$dir/home"
  echo '[].' >"$dir/enabled_plugins"
  cat >"$dir/rabbitmq.conf" <<EOF
listeners.tcp.default = 127.0.0.1:$(port plain)
listeners.ssl.default = 127.0.0.1:$(port tls)
ssl_options.cacertfile = $state/tls/ca.pem
ssl_options.certfile = $state/tls/server.pem
ssl_options.keyfile = $state/tls/server.key
ssl_options.verify = verify_none
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
  alive epmd || spawn epmd epmd -address 127.0.0.1 -port "$(port epmd)"
  alive rabbitmq || spawn rabbitmq env -i "PATH=$PATH" "LANG=C.UTF-8" "HOME=$dir/home" \
    "ERL_EPMD_ADDRESS=127.0.0.1" "ERL_EPMD_PORT=$(port epmd)" \
    "RABBITMQ_NODENAME=brokerbench@localhost" \
    "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1" "RABBITMQ_NODE_PORT=$(port plain)" "RABBITMQ_DIST_PORT=$(port dist)" \
    "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}" \
    "RABBITMQ_CONF_ENV_FILE=/dev/null" "RABBITMQ_CONFIG_FILE=$dir/rabbitmq.conf" \
    "RABBITMQ_ENABLED_PLUGINS_FILE=$dir/enabled_plugins" \
    "RABBITMQ_MNESIA_BASE=$dir/mnesia" "RABBITMQ_LOG_BASE=$dir/log" "RABBITMQ_SCHEMA_DIR=$dir/schema" \
    "RABBITMQ_GENERATED_CONFIG_DIR=$dir/generated" "RABBITMQ_PID_FILE=$dir/node.pid" \
    "RUNNING_UNDER_SYSTEMD=true" "$rabbitmq_server" # so that it becomes beam instead of waiting for it
}

# The answer to the protocol's header is a method frame, Connection.Start.
rabbitmq_answers() {
  local header='AMQP\x00\x00\x09\x01' frame=01
  [[ $(talk "$(port plain)" 1 "$header") == "$frame" ]] &&
    [[ $(talk_tls "$(port tls)" 1 "$header") == "$frame" ]]
}

rabbitmq_url() { echo "amqp://guest:guest@127.0.0.1:$(port plain)"; }
rabbitmq_tls_url() { echo "amqps://$tls_user:$tls_password@127.0.0.1:$(port tls)?tls-ca=$state/tls/ca.pem"; }
rabbitmq_version() { dpkg-query -W -f 'v${Version}' rabbitmq-server; }
