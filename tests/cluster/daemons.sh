#!/usr/bin/env bash
# The first process of a test cluster's PID namespace: starts every daemon, then waits. When it ends, all end.
# Usage: daemons.sh BASE NODES [FOLDER_BELOW_TMP ...]
set -euo pipefail

main() {
  local base=$1 nodes=$2 here=${BASH_SOURCE[0]%/*}
  local -i i=0
  munged --key-file="$base/munge/key" --socket="$base/munge/socket" --seed-file="$base/munge/seed" \
    --pid-file="$base/munge/pid" --log-file="$base/munge/log"
  # Sockets below a folder of root alone are no use to other users.
  chmod 0777 "$base/munge/socket"
  for ((i = 1; i <= nodes; i++)); do
    unshare --mount --net --uts bash "$here/node.sh" "$base" "node$i" "${@:3}" &
  done
  slurmctld -c -i
  await_idle "$nodes"
  : >"$base/ready"
  # Not only children: what they leave behind becomes ours, and must be reaped.
  while :; do
    wait
    sleep 1
  done
}

await_idle() {
  local -i tries=0
  until [[ $(sinfo -h -o '%D' -t idle -p batch 2>/dev/null) == "$1" ]]; do
    ((tries++ < 400)) || return 1
    sleep 0.05
  done
}

main "$@"
