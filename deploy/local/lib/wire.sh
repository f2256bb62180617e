# shellcheck shell=bash
# Just enough of each protocol to know that a broker answers. A port that is open
# says little: Kafka listens seconds before it serves.

# talk PORT BYTES REQUEST sends REQUEST (as printf's format) and prints the first
# BYTES bytes of the answer in hexadecimal.
talk() {
  # shellcheck disable=SC2016 # for the inner shell, that timeout can end
  local script='exec 3<>"/dev/tcp/$0/$1" && printf "$3" >&3 && head -c "$2" <&3'
  timeout 3 bash -c "$script" "$(host)" "$@" 2>/dev/null | hex
}

# talk_sized PORT REQUEST prints an answer that begins with its size, of four bytes.
talk_sized() {
  # shellcheck disable=SC2016 # for the inner shell, that timeout can end
  local script='exec 3<>"/dev/tcp/$0/$1" && printf "$2" >&3 &&
    size=$(head -c 4 <&3 | od -An -tx1 | tr -d " ") && head -c "$((16#$size))" <&3'
  timeout 3 bash -c "$script" "$(host)" "$@" 2>/dev/null | hex
}

# talk_tls does the same as talk over TLS, and verifies the certificate. s_client would
# wait for more than we do, hence the kill: of s_client itself, as a timeout that is killed
# before it has noted what it began leaves that behind. It does not hold our lock.
talk_tls() {
  local from
  # shellcheck disable=SC2059 # a format is what it is
  exec {from}< <(close_inherited && exec openssl s_client -quiet -verify_return_error -CAfile "$state/tls/ca.pem" \
    -connect "$(host):$1" 2>/dev/null < <(printf "$3"))
  timeout 3 head -c "$2" <&"$from" | hex
  kill "$!" 2>/dev/null
  exec {from}<&-
}

hex() { od -An -v -tx1 | tr -d ' \n'; }

# ascii TEXT prints what hex makes of it.
ascii() { printf '%s' "$1" | hex; }

# amqp1_answers tells whether both listeners of the current node answer the header that begins SASL in
# AMQP 1.0, with itself.
amqp1_answers() {
  local header='AMQP\x03\x01\x00\x00' same=414d515003010000
  [[ $(talk "$(port plain)" 8 "$header") == "$same" && $(talk_tls "$(port tls)" 8 "$header") == "$same" ]]
}

# escape TEXT makes a text fit for a URL's query.
escape() { sed 's/%/%25/g; s/&/%26/g; s/+/%2B/g; s/#/%23/g; s/ /%20/g; s/'\''/%27/g' <<<"$1"; }

# ask PORT REQUEST sends REQUEST (as printf's format) and prints all that is answered
# until the server hangs up.
ask() {
  # shellcheck disable=SC2016 # for the inner shell, that timeout can end
  timeout 3 bash -c 'exec 3<>"/dev/tcp/$0/$1" && printf "$2" >&3 && cat <&3' "$(host)" "$@" 2>/dev/null
}

# http PORT PATH [HEADER] prints the answer to a GET.
http() { ask "$1" "GET $2 HTTP/1.0\\r\\n${3:+$3\\r\\n}\\r\\n"; }
