# shellcheck shell=bash
# Just enough of each protocol to know that a broker answers. A port that is open
# says little: Kafka listens seconds before it serves.

# talk PORT BYTES REQUEST sends REQUEST (as printf's format) and prints the first
# BYTES bytes of the answer in hexadecimal.
talk() {
  # shellcheck disable=SC2016 # for the inner shell, that timeout can end
  local script='exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "$3" >&3 && head -c "$2" <&3'
  timeout 3 bash -c "$script" talk "$@" 2>/dev/null | hex
}

# talk_tls does the same over TLS, and verifies the certificate. s_client would
# wait for more than we do, hence the kill.
talk_tls() {
  local from
  # shellcheck disable=SC2059 # a format is what it is
  exec {from}< <(exec timeout 3 openssl s_client -quiet -verify_return_error -CAfile "$state/tls/ca.pem" \
    -connect "127.0.0.1:$1" 2>/dev/null < <(printf "$3"))
  head -c "$2" <&"$from" | hex
  kill "$!" 2>/dev/null
  exec {from}<&-
}

hex() { od -An -v -tx1 | tr -d ' \n'; }

# ascii TEXT prints what hex makes of it.
ascii() { printf '%s' "$1" | hex; }

# escape TEXT makes a text fit for a URL's query.
escape() { sed 's/%/%25/g; s/&/%26/g; s/+/%2B/g; s/#/%23/g; s/ /%20/g; s/'\''/%27/g' <<<"$1"; }
