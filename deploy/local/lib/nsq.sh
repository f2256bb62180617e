# shellcheck shell=bash
# NSQ: nsqd, built from its Go module. A server either
# requires TLS or does not, so there are two. Nodes of NSQ do not copy messages: it has no cluster.

nsq_units() {
  echo nsq
  alone || echo nsq-tls
}
nsq_shared() { :; }
nsq_ports() { echo plain front tls http tlshttp https; }

nsq_server() { echo "${BROKERBENCH_NSQD:-$home/nsqd}"; }

# Its module needs the replacement that its own go.mod has.
nsq_install() {
  [[ ! -x $(nsq_server) ]] || return 0
  type -P go >/dev/null || skip "go is missing, to build nsqd" || return
  mkdir -p "$home/src" && cp "$here/lib/nsqd/mod" "$home/src/go.mod" && cp "$here/lib/nsqd/sum" "$home/src/go.sum" || return
  (cd "$home/src" && GOFLAGS=-mod=mod go build -o "$home/nsqd" github.com/nsqio/nsq/apps/nsqd) >"$home/build.log" 2>&1 ||
    skip "go build nsqd: $(tail -n 1 "$home/build.log")"
}

nsq_configure() { mkdir -p "$dir/data" "$dir/data-tls"; }

# By default nsqd takes messages of 1 MiB, and lets a consumer have 2500 on their way.
nsq_launch() {
  alive nsq || spawn nsq "$(nsq_server)" -tcp-address "$(address plain)" -http-address "$(address http)" \
    -broadcast-address "$listen" -data-path "${data:-$dir/data}" -max-msg-size 8388608 -max-body-size 16777216 -log-level warn
  alone || alive nsq-tls || spawn nsq-tls "$(nsq_server)" -tcp-address "$(address tls)" -http-address "$(address tlshttp)" \
    -broadcast-address "$listen" -data-path "$dir/data-tls" -tls-cert "$state/tls/server.pem" -tls-key "$state/tls/server.key" \
    -tls-required=tcp-https -https-address "$(address https)" -log-level warn
}

nsq_answers() {
  [[ $(http "$(port http)" /ping) == *OK* ]] || return
  alone || [[ $(http "$(port tlshttp)" /ping) == *OK* ]]
}

nsq_url() { echo "nsq://$1"; }
nsq_options() { echo "?http=http://$(address http)"; } # it has no usual port here
nsq_tls_url() { alone || echo "nsq+tls://$1?$tls_option&http=http://$(address tlshttp)"; }
nsq_other_urls() { echo "HTTP http://$(address http)"; }
nsq_version() { "$(nsq_server)" --version | sed 's/^nsqd v\([0-9.]*\).*/\1/'; }
