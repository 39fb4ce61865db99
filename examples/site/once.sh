#!/usr/bin/env bash
# Prepare something on a shared folder, once, however many nodes start at the same time.
#
# Usage: once.sh [FOLDER]
set -euo pipefail

prepare() {
  if [[ -e $1/ready ]]; then
    primus_log info "$1 is ready"
    return
  fi
  primus_log info "preparing $1"
  printf '%s\n' "$HOSTNAME" >"$1/ready.new"
  mv "$1/ready.new" "$1/ready"
}

main() {
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../../runner/site.sh"
  local folder=${1:-${TMPDIR:-.}/primus-once}
  primus_lock "$folder/.lock" 600 prepare "$folder"
  printf '%s\n' "$folder"
}

main "$@"
