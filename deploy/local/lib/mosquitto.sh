# shellcheck shell=bash
# Mosquitto, an MQTT broker: this Debian's package. It has no cluster. TLS with a password has
# a second server: with separate settings for each listener (per_listener_settings) it keeps
# nothing for a session that is away.

mosquitto_units() {
  echo mosquitto
  alone || echo mosquitto-tls
}
mosquitto_shared() { :; }
mosquitto_ports() { echo plain front tls; }

mosquitto_install() { need mosquitto mosquitto; }

mosquitto_configure() {
  mkdir -p "$dir/data" "$dir/data-tls" && mosquitto_passwords >"$dir/passwords" || return
  {
    mosquitto_common data
    echo "listener $(port plain) $listen"
    echo "allow_anonymous true"
  } >"$dir/mosquitto.conf"
  {
    mosquitto_common data-tls
    cat <<EOF
listener $(port tls) $listen
certfile $state/tls/server.pem
keyfile $state/tls/server.key
allow_anonymous false
password_file $dir/passwords
EOF
  } >"$dir/mosquitto-tls.conf"
}

# mosquitto_common prints what both servers have. By default Mosquitto holds small packets back,
# has 20 messages on their way at most, and drops what it has not delivered beyond 1,000. The
# protocol allows 65535 on their way.
mosquitto_common() {
  cat <<EOF
user root
set_tcp_nodelay true
max_inflight_messages 65535
max_queued_messages 0
EOF
  mosquitto_store "$1"
}

# mosquitto_store prints how sessions and messages are kept: all of them are written anew
# after each change. It is as near to a promise as this broker comes.
mosquitto_store() {
  [[ $durability == process || $durability == machine ]] || return 0
  printf 'persistence true\npersistence_location %s/\nautosave_on_changes true\nautosave_interval 1\n' "${data:-$dir/$1}"
}

# mosquitto_passwords prints the user as mosquitto_passwd does.
mosquitto_passwords() {
  local salt=brokerbench. key
  key=$(openssl kdf -keylen 64 -kdfopt digest:SHA512 -kdfopt "pass:$tls_password" -kdfopt "salt:$salt" \
    -kdfopt iter:101 -binary PBKDF2 | base64 -w 0) || return
  # shellcheck disable=SC2016 # the dollars are of the format
  printf '%s:$7$101$%s$%s\n' "$tls_user" "$(printf %s "$salt" | base64)" "$key"
}

mosquitto_launch() {
  local unit
  for unit in "${units[@]}"; do
    alive "$unit" || spawn "$unit" mosquitto -c "$dir/$unit.conf"
  done
}

# CONNECT, of MQTT 3.1.1, is answered with CONNACK: accepted.
mosquitto_answers() {
  local start='\x00\x04MQTT\x04' rest='\x00\x3c\x00\x00'
  [[ $(talk "$(port plain)" 4 "\\x10\\x0c$start\\x02$rest") == 20020000 ]] || return
  alone || [[ $(talk_tls "$(port tls)" 4 "\\x10\\x1b$start\\xc2$rest\\x00\\x05$tls_user\\x00\\x06$tls_password") == 20020000 ]]
}

mosquitto_url() { echo "mqtt://$1"; }
mosquitto_tls_url() { alone || echo "mqtts://$tls_login@$1?$tls_option"; }
mosquitto_other_urls() { :; }
mosquitto_version() { mosquitto -h | sed -n '1s/.*version //p'; }
