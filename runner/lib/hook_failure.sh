# shellcheck shell=bash
# What is said of a hook that failed.

# Usage: _primus_hook_failed FILE STATUS MILLISECONDS
# Status: 3 for a hook that exited with 3, else 4.
_primus_hook_failed() {
  local file=$1 how='' kind=hook limit=0
  _primus_hook_limit limit "$file"
  primus_status_describe how "$2"
  if (($2 == 124 && limit > 0 && $3 >= limit * 1000)); then
    how="took longer than PRIMUS_HOOK_TIMEOUT, $limit s, and was stopped"
  elif (($2 < 0)); then
    how='was lost: its output ended before it did'
  elif (($2 == 3)); then
    kind=environment
  fi
  primus_fail "$kind" "hook $file $how, node rank ${NODE_RANK:-0}" \
    "its last lines stand above; run it alone with: primus-cli hooks run ${hooks_of:-train ${PRIMUS_PLAN_STAGE:-pretrain}} --only ${file##*/} -- [arguments]"
}
