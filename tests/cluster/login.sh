#!/usr/bin/env bash
# The login host of a test cluster, in mount, network and host name namespaces of its own. A child of it holds a PID
# namespace with every daemon; when the login host ends, all end.
# Usage: login.sh BASE NODES [FOLDER_BELOW_TMP ...]
set -euo pipefail

main() {
  local base=$1 cgroup=/sys/fs/cgroup/freezer
  hostname login
  mount --bind "$base/hosts" /etc/hosts
  ip link set lo up
  ip link add cluster0 type bridge
  ip address add 10.213.0.1/16 dev cluster0
  ip link set cluster0 up
  if [[ -d $cgroup ]]; then
    # A part of its own: two clusters on one machine must not take each other's jobs for theirs.
    mkdir -p "$cgroup/${base##*/}" "$base/cgroup/freezer"
    mount --bind "$cgroup/${base##*/}" "$base/cgroup/freezer"
  fi
  setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount-proc bash "${BASH_SOURCE[0]%/*}/daemons.sh" "$@"
}

main "$@"
