# shellcheck shell=bash
# Where the project lies.

# Usage:   primus_root RESULT
# Does:    puts into RESULT the absolute path of the project that this library belongs to.
# Status:  0.
# Example: primus_root root; ls "$root/runner/commands"
primus_root() {
  local _pr_folder=${BASH_SOURCE[0]}
  [[ $_pr_folder == */* ]] || _pr_folder=./$_pr_folder
  # The dot keeps a newline at the end of a path from being lost.
  _pr_folder=$(CDPATH='' cd -P -- "${_pr_folder%/*}/../.." && printf '%s.' "$PWD")
  printf -v "$1" '%s' "${_pr_folder%.}"
}
