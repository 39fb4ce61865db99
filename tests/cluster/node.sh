#!/usr/bin/env bash
# One node of a test cluster, in mount, network and host name namespaces of its own.
# Usage: node.sh BASE NAME [FOLDER_BELOW_TMP ...]
set -euo pipefail

main() {
  local base=$1 name=$2 address=''
  shift 2
  hostname "$name"
  address=$(sed -n "/^::/!s/ $name\$//p" "$base/hosts")
  # The other end of the cable is in the network of PID 1, the login host's.
  ip link set lo up
  # A slurmd that was killed may have left its cable.
  nsenter --net=/proc/1/ns/net ip link del "$name" 2>/dev/null || :
  ip link add eth0 type veth peer name "$name" netns 1
  ip address add "$address/16" dev eth0
  ip link set eth0 up
  nsenter --net=/proc/1/ns/net ip link set "$name" master cluster0 up
  own_tmp "$base" "$name" "$@"
  exec slurmd -D -c -N "$name"
}

# A /tmp of the node's own; below it only what jobs could not do without.
own_tmp() {
  local base=$1 name=$2 folder=''
  shift 2
  for folder; do
    mkdir -p "$base/$name/tmp$folder" "$base/kept$folder"
    mount --bind "$folder" "$base/kept$folder"
  done
  mkdir -p "$base/$name/tmp"
  mount --bind "$base/$name/tmp" /tmp
  chmod 1777 /tmp
  for folder; do
    mkdir -p "$folder"
    mount --bind "$base/kept$folder" "$folder"
  done
}

main "$@"
