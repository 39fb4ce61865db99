# shellcheck shell=bash
# Where the project lies.

# Usage:   primus_root RESULT
# Does:    puts into RESULT the absolute path of the project that this library belongs to.
# Status:  0.
# Example: primus_root root; ls "$root/runner/commands"
primus_root() {
  local _pr_folder=${BASH_SOURCE[0]}
  # Remembered, but not from another checkout that the same shell has sourced.
  if [[ -z ${_primus_root_found-} || ${_primus_root_source-} != "${BASH_SOURCE[0]}" ]]; then
    [[ $_pr_folder == */* ]] || _pr_folder=./$_pr_folder
    # The dot keeps a newline at the end of a path from being lost.
    _pr_folder=$(CDPATH='' cd -P -- "${_pr_folder%/*}/../.." && printf '%s.' "$PWD")
    declare -g _primus_root_found=${_pr_folder%.} _primus_root_source=${BASH_SOURCE[0]}
  fi
  printf -v "$1" '%s' "$_primus_root_found"
}
