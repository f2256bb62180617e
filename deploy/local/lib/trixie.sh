# shellcheck shell=bash
# The newer servers: those of Debian 13 (trixie), in a folder that is the root of such
# a system. debootstrap makes it, once, in the cache, beside Kafka's jars. A server
# there is a process as any other, but sees that folder as / (see enter).

trixie=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/brokerbench/trixie
trixie_packages=(rabbitmq-server redis-server valkey-server)

# need_trixie makes the folder if there is none, and sets how a command is run in it.
need_trixie() {
  in_trixie=(unshare -m --propagation slave "$here/lib/enter" "$trixie" "$state")
  ((EUID == 0)) || skip "only root can run the Debian 13 in $trixie" || return
  [[ ! -d $trixie ]] || return 0
  [[ ${BROKERBENCH_INSTALL-} != no ]] || skip "there is no Debian 13 in $trixie: make it with deploy/local/brokers up $name" || return
  type -P unshare >/dev/null || skip "unshare is missing, to run a Debian 13 in $trixie" || return
  need debootstrap debootstrap || return
  say "$name: making a Debian 13 in $trixie; this takes a minute or two, once"
  local log=$home/debootstrap.log
  # Mounts are in a separate namespace, so that none is left however this ends.
  unshare -m --propagation slave bash "$here/lib/make-trixie" "$trixie" "$(debian_mirror)" "${trixie_packages[@]}" </dev/null >"$log" 2>&1 ||
    skip "making a Debian 13: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
}

# debian_mirror prints where this machine has its own Debian packages from.
debian_mirror() {
  # shellcheck disable=SC2016 # for apt-get
  apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 2>/dev/null | grep -m 1 '/debian/$' ||
    echo https://deb.debian.org/debian/
}

# trixie_version PACKAGE prints the version of a package there, as upstream counts.
trixie_version() {
  dpkg-query --admindir="$trixie/var/lib/dpkg" -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[-+].*//'
}
