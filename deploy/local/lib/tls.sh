# shellcheck shell=bash
# A throw-away authority and a certificate for 127.0.0.1 and localhost.
#
#   tls/ca.pem      the authority: the option tls-ca of our URLs
#   tls/server.pem  the brokers' certificate
#   tls/server.key  its key (PKCS #8)
#   tls/server.all  both in one file, as Kafka wants them

tls_user=bench
tls_password=s3cret
tls_login=$tls_user:$tls_password             # of our URLs
tls_option=tls-ca=$(escape "$state/tls/ca.pem") # of our URLs

# make_certificates makes them once. It fails if openssl does, see openssl.log.
make_certificates() {
  local tls=$state/tls new=$state/tls.new
  [[ -d $tls ]] && return
  rm -rf "$new" && mkdir "$new" || return
  (
    cd "$new" || exit
    new_key ca && new_key server || exit
    openssl req -x509 -new -key ca.key -days 3650 -subj '/CN=brokerbench throw-away authority' -out ca.pem &&
      openssl req -new -key server.key -subj '/CN=localhost' -out server.csr &&
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 \
        -extfile <(certificate_extensions) -out server.pem || exit
    cat server.key server.pem ca.pem >server.all
    chmod 644 server.key server.all # containers read them as other users
    rm ca.key ca.srl server.csr     # it must not sign anything else
  ) 2>"$state/openssl.log" || return
  mv "$new" "$tls"
}

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }

certificate_extensions() {
  echo "subjectAltName = IP:127.0.0.1, DNS:localhost"
  echo "extendedKeyUsage = serverAuth"
  echo "basicConstraints = critical, CA:false"
}
