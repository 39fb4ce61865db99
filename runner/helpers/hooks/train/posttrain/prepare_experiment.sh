#!/usr/bin/env bash
# Runs the hooks of the experiment's framework, which lie in the folder of that name beside this file.
set -euo pipefail

main() {
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../../../../site.sh"
  primus_hooks_serve primus_framework_hooks_run posttrain "$@"
}

main "$@"
