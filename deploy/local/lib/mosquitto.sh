# shellcheck shell=bash
# Mosquitto, an MQTT broker: that of Debian 13, one process with two listeners. It has
# no cluster.

mosquitto_units() { echo mosquitto; }
mosquitto_shared() { :; }
mosquitto_ports() { echo plain tls; }

mosquitto_install() { need_trixie; }

mosquitto_configure() {
  mkdir -p "$dir/data" && mosquitto_passwords >"$dir/passwords" || return
  cat >"$dir/mosquitto.conf" <<EOF
user root
per_listener_settings true
$(mosquitto_store)

listener $(port plain) $listen
allow_anonymous true

listener $(port tls) $listen
certfile $state/tls/server.pem
keyfile $state/tls/server.key
allow_anonymous false
password_file $dir/passwords
EOF
}

# mosquitto_store prints how sessions and messages are kept: all of them are written anew
# after each change. It is as near to a promise as this broker comes.
mosquitto_store() {
  [[ $durability == process || $durability == machine ]] || return 0
  printf 'persistence true\npersistence_location %s/\nautosave_on_changes true\nautosave_interval 1\n' "${data:-$dir/data}"
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
  need_trixie || return
  alive mosquitto || spawn mosquitto "${in_trixie[@]}" mosquitto -c "$dir/mosquitto.conf"
}

# CONNECT, of MQTT 3.1.1, is answered with CONNACK: accepted.
mosquitto_answers() {
  local start='\x00\x04MQTT\x04' rest='\x00\x3c\x00\x00'
  [[ $(talk "$(port plain)" 4 "\\x10\\x0c$start\\x02$rest") == 20020000 ]] &&
    [[ $(talk_tls "$(port tls)" 4 "\\x10\\x1b$start\\xc2$rest\\x00\\x05$tls_user\\x00\\x06$tls_password") == 20020000 ]]
}

mosquitto_url() { echo "mqtt://$1"; }
mosquitto_tls_url() { echo "mqtts://$tls_login@$1?$tls_option"; }
mosquitto_other_urls() { :; }
mosquitto_version() { trixie_version mosquitto; }
