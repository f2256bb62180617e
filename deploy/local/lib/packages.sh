# shellcheck shell=bash
# Installs missing packages on Debian and Ubuntu, without letting them start services.

policy=/usr/sbin/policy-rc.d # asked by every package before it starts a service
policy_mark="# by brokerbench, to install packages without starting their services"

# need COMMAND PACKAGE installs PACKAGE if there is no COMMAND.
need() {
  type -P "$1" >/dev/null && return
  [[ ${BROKERBENCH_INSTALL-} != no ]] || skip "$1 is missing: install $2" || return
  ((EUID == 0)) || skip "$1 is missing, and only root can install $2" || return
  type -P apt-get >/dev/null || skip "$1 is missing, and there is no apt-get to install $2" || return
  say "$name: installing $2"
  # One at a time: brokers are started in parallel, apt is not. A subshell, for
  # its trap and its lock.
  (
    exec {apt_lock}>>"$state/apt.lock"
    flock "$apt_lock"
    refuse_services
    apt_install "$2"
  ) >"$home/apt.log" 2>&1 || skip "apt-get install $2: $(grep -m 1 '^E:' "$home/apt.log" || tail -n 1 "$home/apt.log")"
}

# need_jars FOLDER POM WHAT has FOLDER hold the jars that a pom.xml names, from Maven Central.
need_jars() {
  need java default-jre-headless || return
  [[ ! -d $1 ]] || return 0
  need mvn maven || return
  say "$name: fetching the jars of $3"
  local new=$1.new.$$
  mvn -B -q -f "$2" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$new" </dev/null >"$home/mvn.log" 2>&1 ||
    skip "mvn dependency:copy-dependencies: $(grep -m 1 ERROR "$home/mvn.log")" || return
  mv -T "$new" "$1" 2>/dev/null || rm -rf "$new" # somebody else was faster
}

# need_unpacked FOLDER ARTIFACT has FOLDER hold an archive from Maven Central, without its topmost folders
# down to that of lib.
need_unpacked() {
  need java default-jre-headless || return
  [[ ! -d $1 ]] || return 0
  need mvn maven || return
  say "$name: fetching $2"
  local new=$1.new.$$ lib
  # It leaves markers where it runs.
  (mkdir -p "$new" && cd "$new" && mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack -Dartifact="$2" \
    -DoutputDirectory="$new") </dev/null >"$home/mvn.log" 2>&1 ||
    skip "mvn dependency:unpack: $(grep -m 1 ERROR "$home/mvn.log")" || return
  lib=$(find "$new" -mindepth 1 -maxdepth 4 -name lib -type d -print -quit)
  [[ $lib ]] && mv -T "${lib%/lib}" "$1" 2>/dev/null # or somebody else was faster
  rm -rf "$new"
  [[ $lib ]] || skip "$2 has no folder lib"
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  if [[ ! -e $state/apt.updated ]]; then
    apt-get update && : >"$state/apt.updated"
  fi
  apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$1"
}

# refuse_services puts a policy in place that refuses to start services, and
# restores what was there when this subshell ends.
refuse_services() {
  [[ -x $policy ]] && ! grep -qF "$policy_mark" "$policy" && ! "$policy" any start >/dev/null 2>&1 && return
  trap restore_services EXIT
  if [[ -e $policy ]] && ! grep -qF "$policy_mark" "$policy"; then
    mv "$policy" "$policy.brokerbench-saved"
  fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$policy"
  chmod 755 "$policy"
}

restore_services() {
  rm -f "$policy"
  [[ ! -e $policy.brokerbench-saved ]] || mv "$policy.brokerbench-saved" "$policy"
}
