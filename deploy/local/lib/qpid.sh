# shellcheck shell=bash
# Apache Qpid Broker-J, a broker of AMQP 1.0: its distribution from Maven Central, which stays in the
# cache. It makes a queue when a client attaches to an address that begins with brokerbench.

qpid_units() { echo qpid; }
qpid_shared() { :; }
qpid_ports() { echo plain front tls; }

qpid_release=9.2.0
qpid_home=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/brokerbench/qpid-$qpid_release

qpid_install() { need_unpacked "$qpid_home" "org.apache.qpid:apache-qpid-broker-j:$qpid_release:tar.gz:bin"; }

# qpid_store prints where the host keeps queues, and the policy for those that it makes. In memory, a
# queue goes with its last link; a kept one outlives the broker, and is synced before a message is accepted.
qpid_store() {
  local keeps=false lifetime=DELETE_ON_NO_LINKS store='"type": "Memory"'
  if [[ $durability == process || $durability == machine ]]; then
    keeps=true lifetime=PERMANENT store='"type": "BDB", "storePath": "'${data:-$dir/data}/store'"'
  fi
  printf '{%s, "nodeAutoCreationPolicies": [{"pattern": "brokerbench.*", "createdOnPublish": true, "createdOnConsume": true,
    "nodeType": "Queue", "attributes": {"durable": %s, "lifetimePolicy": "%s"}}]}' "$store" "$keeps" "$lifetime" | tr -d '\n' | sed 's/"/\\"/g'
}

qpid_configure() {
  mkdir -p "${data:-$dir/data}"
  openssl pkcs12 -export -in "$state/tls/server.pem" -inkey "$state/tls/server.key" -name server \
    -passout "pass:$tls_password" -out "$dir/server.p12" || return
  cat >"$dir/initial.json" <<EOF
{
  "name": "brokerbench", "modelVersion": "9.0",
  "authenticationproviders": [{"name": "plain", "type": "Plain", "secureOnlyMechanisms": [], "users": [
    {"name": "guest", "type": "managed", "password": "guest"},
    {"name": "$tls_user", "type": "managed", "password": "$tls_password"}]}],
  "keystores": [{"name": "tls", "type": "FileKeyStore", "storeUrl": "file:$dir/server.p12", "keyStoreType": "pkcs12", "password": "$tls_password"}],
  "ports": [$(qpid_port plain TCP), $(qpid_port tls SSL)],
  "virtualhostnodes": [{"name": "default", "type": "JSON", "defaultVirtualHostNode": "true", "storePath": "${data:-$dir/data}/host",
    "virtualHostInitialConfiguration": "$(qpid_store)"}]
}
EOF
}

# qpid_port NAME TRANSPORT prints a listener.
qpid_port() {
  printf '{"name": "%s", "type": "AMQP", "bindingAddress": "%s", "port": "%s", "protocols": ["AMQP_1_0"], "transports": ["%s"], %s
    "authenticationProvider": "plain", "virtualhostaliases": [
    {"name": "default", "type": "defaultAlias"}, {"name": "host", "type": "hostnameAlias"}, {"name": "name", "type": "nameAlias"}]}' \
    "$1" "$(host)" "$(port "$1")" "$2" "$([[ $2 != SSL ]] || echo '"keyStore": "tls",')"
}

qpid_launch() {
  alive qpid || spawn qpid java -Xmx512m -XX:MaxDirectMemorySize=512m -cp "$qpid_home/lib/*" -DQPID_HOME="$qpid_home" -DQPID_WORK="${data:-$dir/data}" \
    org.apache.qpid.server.Main -icp "$dir/initial.json"
}

qpid_answers() { amqp1_answers; }

qpid_url() { echo "amqp1://guest:guest@$1"; }
qpid_options() { echo '?address={name}'; }
qpid_tls_url() { echo "amqp1s://$tls_login@$1?$tls_option&address={name}"; }
qpid_other_urls() { :; }
qpid_version() { echo "$qpid_release"; }
