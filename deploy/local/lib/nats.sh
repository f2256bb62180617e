# shellcheck shell=bash
# NATS: built from the nats-server module that go.mod pins. A NATS server either
# wants TLS and a password or does not, so there are two.

nats_units() { echo nats nats-tls; }
nats_ports() { echo plain tls; }

nats_install() {
  type -P go >/dev/null || skip "go is missing, to build nats-server" || return
  [[ ! -x $dir/nats-server ]] || return 0
  (cd "$repo" && go build -o "$dir/nats-server" github.com/nats-io/nats-server/v2) >"$dir/build.log" 2>&1 ||
    skip "go build nats-server: $(tail -n 1 "$dir/build.log")"
}

nats_configure() {
  cat >"$dir/tls.conf" <<EOF
authorization { user: "$tls_user", password: "$tls_password" }
tls { cert_file: "$state/tls/server.pem", key_file: "$state/tls/server.key" }
EOF
}

nats_launch() {
  alive nats || spawn nats ./nats-server -a 127.0.0.1 -p "$(port plain)"
  alive nats-tls || spawn nats-tls ./nats-server -a 127.0.0.1 -p "$(port tls)" -c tls.conf
}

# A server sends INFO first, in plain text even if it then expects TLS.
nats_answers() {
  [[ $(talk "$(port plain)" 5 '') == "$(ascii "INFO ")" ]] &&
    [[ $(talk "$(port tls)" 5 '') == "$(ascii "INFO ")" ]]
}

nats_url() { echo "nats://127.0.0.1:$(port plain)"; }
nats_tls_url() { echo "nats+tls://$tls_at:$(port tls)?$tls_option"; }
nats_version() { "$dir/nats-server" --version | grep -o '[0-9.]*$'; }
