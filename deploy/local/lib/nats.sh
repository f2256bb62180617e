# shellcheck shell=bash
# NATS: built from the nats-server module that go.mod pins, with JetStream. A server
# either wants TLS and a password or does not, so there are two; a cluster has none
# with TLS.

nats_units() {
  echo nats
  alone || echo nats-tls
}
nats_shared() { :; }
nats_ports() { echo plain front tls monitor route; }

nats_server() { echo "${BROKERBENCH_NATS_SERVER:-$home/nats-server}"; }

nats_install() {
  [[ ! -x $(nats_server) ]] || return 0
  type -P go >/dev/null || skip "go is missing, to build nats-server" || return
  (cd "$repo" && go build -o "$home/nats-server" github.com/nats-io/nats-server/v2) >"$home/build.log" 2>&1 ||
    skip "go build nats-server: $(tail -n 1 "$home/build.log")"
}

nats_configure() {
  {
    nats_common nats
    echo "port: $(port plain)"
    echo "http: \"$listen:$(port monitor)\""
    echo "client_advertise: \"$(address "$(front_of plain)")\""
    ((nodes == 1)) || nats_cluster
  } >"$dir/nats.conf"
  {
    nats_common nats-tls
    echo "port: $(port tls)"
    echo "authorization { user: \"$tls_user\", password: \"$tls_password\" }"
    echo "tls { cert_file: \"$state/tls/server.pem\", key_file: \"$state/tls/server.key\" }"
  } >"$dir/nats-tls.conf"
}

# nats_common prints what both servers have. By default a file store is synced every
# two minutes.
nats_common() {
  local sync
  [[ $durability != machine ]] || sync=', sync_interval: always'
  echo "server_name: n$index"
  echo "host: $listen"
  echo "jetstream { store_dir: \"${data:-$dir/$1}\"${sync-} }"
}

nats_cluster() {
  local routes
  routes=$(addresses route)
  echo "cluster { name: brokerbench, listen: \"$(address route)\", routes: [\"nats://${routes//,/\", \"nats://}\"] }"
}

nats_launch() {
  local unit
  for unit in "${units[@]}"; do
    alive "$unit" || spawn "$unit" "$(nats_server)" -c "$unit.conf"
  done
}

# A server sends INFO first, in plain text even if it then expects TLS.
nats_answers() {
  [[ $(talk "$(port plain)" 5 '') == "$(ascii "INFO ")" ]] || return
  alone || [[ $(talk "$(port tls)" 5 '') == "$(ascii "INFO ")" ]]
}

# Nodes are a cluster when JetStream on each is up to date with an elected leader.
nats_formed() { each_node nats_joined; }
nats_joined() {
  http "$(port monitor)" /healthz | grep -q '"status":"ok"' &&
    http "$(port monitor)" /jsz | tr -d ' \n' | grep -q "\"leader\":.*\"cluster_size\":$nodes"
}

nats_url() { echo "nats://$1"; }
nats_tls_url() { alone || echo "nats+tls://$tls_login@$1?$tls_option"; }
nats_other_urls() { echo "MONITOR http://$(address monitor)"; }
nats_version() { "$(nats_server)" --version | grep -o '[0-9.]*$'; }
