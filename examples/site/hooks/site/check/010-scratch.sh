#!/usr/bin/env bash
# A hook: finds the fast local disk and hands it on.
set -euo pipefail

main() {
  # shellcheck source=runner/site.sh
  source "$PRIMUS_ROOT/runner/site.sh"
  local folder=${SITE_SCRATCH:-${TMPDIR:-.}}
  primus_log info "scratch folder $folder"
  primus_hook_env SITE_SCRATCH "$folder"
  primus_hook_extra dump_folder "$folder"
}

main "$@"
