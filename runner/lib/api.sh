# shellcheck shell=bash
# The version of what site scripts and hooks may rely on.

# Usage:   primus_api_require VERSION
# Does:    tells whether this launcher serves scripts that were written for VERSION of its shell functions, a whole
#          number. Hooks find the launcher's own version in PRIMUS_SHELL_API.
# Streams: stderr, what is wrong.
# Status:  0; 2 when it does not.
# Example: primus_api_require 1 || exit
primus_api_require() {
  local own=''
  _primus_api_version own
  [[ ${1-} == "$own" ]] ||
    primus_fail usage "this script was written for version \"${1-}\" of the launcher's shell functions, which are at $own" \
      "see runner/README.md of Primus for what changed"
}

_primus_api_version() { printf -v "$1" '%s' 1; }
