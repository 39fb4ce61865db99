#!/usr/bin/env bash
# TorchTitan has a loop for pre-training only.
set -euo pipefail

main() {
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../../../../../site.sh"
  primus_fail usage "torchtitan has no post-training in Primus, only: train pretrain" \
    "take another framework for modules.post_trainer; primus-cli backends lists them"
}

main "$@"
