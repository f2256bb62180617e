# shellcheck shell=bash
# Redis: Debian's package. On one server, the default user would need no password on
# either listener, so TLS with a password has a second server.

redis_units() { echo redis redis-tls; }
redis_ports() { echo plain tls; }

redis_install() { need redis-server redis-server; }

redis_configure() {
  local common="bind $listen
protected-mode no
save \"\"
appendonly no"
  cat >"$dir/redis.conf" <<EOF
$common
port $(port plain)
EOF
  cat >"$dir/redis-tls.conf" <<EOF
$common
port 0
tls-port $(port tls)
tls-cert-file "$state/tls/server.pem"
tls-key-file "$state/tls/server.key"
tls-ca-cert-file "$state/tls/ca.pem"
tls-auth-clients no
user default off
user $tls_user on >$tls_password ~* &* +@all
EOF
}

redis_launch() {
  alive redis || spawn redis redis-server redis.conf
  alive redis-tls || spawn redis-tls redis-server redis-tls.conf
}

redis_answers() {
  [[ $(talk "$(port plain)" 5 'PING\r\n') == "$(ascii +PONG)" ]] &&
    [[ $(talk_tls "$(port tls)" 3 "AUTH $tls_user $tls_password\r\n") == "$(ascii +OK)" ]]
}

redis_url() { echo "redis://127.0.0.1:$(port plain)"; }
redis_tls_url() { echo "rediss://$tls_at:$(port tls)?$tls_option"; }
redis_version() { redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/'; }
