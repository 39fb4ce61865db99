#!/usr/bin/env bash
# What the launcher finds on this node: for the prolog of a batch system, or for a look around.
set -euo pipefail

main() {
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../../runner/site.sh"
  primus_api_require 1
  local root='' python='' vendor='' count='' host=''
  local -a hosts=()
  primus_root root
  primus_python_find python
  primus_accelerator_count vendor count
  primus_hostlist_expand hosts "${SLURM_JOB_NODELIST:-$HOSTNAME}"
  printf 'primus       %s\n' "$root"
  printf 'interpreter  %s\n' "$python"
  printf 'accelerators %s %s\n' "$count" "${vendor:-(none)}"
  for host in "${hosts[@]}"; do printf 'node         %s\n' "$host"; done
}

main "$@"
