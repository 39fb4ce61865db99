#!/usr/bin/env bash
# Run a site's own hooks, those for "site check", from a script of the site, and use what they hand back.
set -euo pipefail

main() {
  local here=${BASH_SOURCE[0]%/*} status=0
  # shellcheck source=runner/site.sh
  source "$here/../../runner/site.sh"
  export PRIMUS_HOOKS_PATH=$here/hooks
  primus_env_file_read "$here/cluster.env" env-file
  execute_hooks site check "$@" || status=$?
  if ((status)); then primus_fail hook "this node is not fit for work" "see above, and tell the operators about $HOSTNAME"; fi
  printf 'scratch folder: %s\n' "$SITE_SCRATCH"
  printf 'arguments from hooks: %s\n' "${PRIMUS_EXTRA_ARGS[*]-}"
}

main "$@"
