#!/usr/bin/env bash
# Runs the hooks of a command. Sourced after runner/site.sh it offers the function; run by itself it does
#   execute_hooks.sh GROUP NAME [ARGUMENT...]
# and prints the control lines of all hooks on stdout.

# Usage:   execute_hooks GROUP NAME [ARGUMENT...]
# Does:    runs the global hooks and those of the command GROUP NAME in order, each with the arguments. Variables
#          that a hook sets (env.NAME=value) are exported at once, so that the next hook sees them; arguments that
#          it adds (extra.name=value) are collected in the array PRIMUS_EXTRA_ARGS; PRIMUS_HOOK_REPORT holds one
#          line "status milliseconds file" for each hook.
# Streams: stderr, what the hooks print, and what went wrong.
# Status:  0; 3 when a hook found that the host lacks something (it exited with 3); 4 when a hook failed otherwise;
#          128+N when it was stopped by signal N.
# Example: execute_hooks train pretrain --config exp.yaml && echo "${PRIMUS_EXTRA_ARGS[@]}"
execute_hooks() {
  local -
  set +efxET
  local hooks_of="${1-} ${2-}"
  local -a files=()
  declare -ga PRIMUS_EXTRA_ARGS=() PRIMUS_HOOK_REPORT=()
  primus_hooks_list files "${1-}" "${2-}" || return
  primus_hooks_run "${#files[@]}" ${files[@]+"${files[@]}"} "${@:3}"
}

_primus_execute_hooks_main() {
  set -euo pipefail
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../site.sh"
  if (($# < 2)); then
    primus_fail usage "execute_hooks.sh needs a group and a name" "such as: execute_hooks.sh train pretrain --config exp.yaml"
  fi
  primus_hooks_serve execute_hooks "$@"
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || _primus_execute_hooks_main "$@"
