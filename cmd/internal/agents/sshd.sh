#!/usr/bin/env bash
# Installs an ssh server that is not started, where apt-get can, for the tests of --agents ssh.
# usage: sshd.sh FOLDER
set -euo pipefail
# shellcheck disable=SC2034 # of the library
name=sshd state=$1 home=$1
say() { echo "$*"; }
skip() {
  echo "NOT TESTED: $*"
  return 1
}
# shellcheck source=deploy/local/lib/packages.sh
. "$(dirname "$0")/../../../deploy/local/lib/packages.sh"
PATH=$PATH:/usr/sbin
need sshd openssh-server
type -P sshd
