# shellcheck shell=bash
# The provider "given": brokers that somebody else runs, at the URLs in the
# environment. We never start, stop or end them.

# given_urls sets the two URLs that the environment gives for the current broker.
given_urls() {
  local plain=${variable}_URL tls=${variable}_TLS_URL
  given_url=${!plain-}
  given_tls_url=${!tls-}
}

# is_given tells whether the environment gives the current broker. A broker that we
# started is in the environment, too, after eval "$(brokers up)".
is_given() {
  given_urls
  [[ $given_url ]] || return
  [[ $(provider) == given || ! -e $home/ports || ${given_url%%\?*} != "$(own_url | sed 's/?.*//')" ]]
}

given_up() {
  echo given >"$home/provider"
  echo "$given_url" >"$home/url"
  echo "$given_tls_url" >"$home/tls_url"
  local address
  address=$(sed 's,^[^:]*://,,; s,^[^/?]*@,,; s,[/?,].*,,' <<<"$given_url")
  [[ $address != *:* ]] || (: <>"/dev/tcp/${address%:*}/${address##*:}") 2>/dev/null ||
    say "WARNING: nothing listens at $address, which ${variable}_URL gives: unset it to have $name provided"
}

given_set() { :; }
given_down() { :; }
given_pid() { return 1; }
given_version() { :; }
given_condition() { echo given; }
given_start() { given_refuse; }
given_kill() { given_refuse; }
given_pause() { given_refuse; }
given_resume() { given_refuse; }
given_refuse() { die "$name: given by ${variable}_URL; cannot $command a broker that somebody else runs"; }
