# shellcheck shell=bash
# Cuts a text at a separator. No here-string, which needs room in /tmp, and no IFS, which is the caller's.

# Fills RESULT_ARRAY with the parts of TEXT between the character SEPARATOR; an empty TEXT has none.
_primus_split() {
  local -n _ps_parts=$1
  local separator=$2 rest=$3
  _ps_parts=()
  [[ -n $rest ]] || return 0
  while [[ $rest == *"$separator"* ]]; do
    _ps_parts+=("${rest%%"$separator"*}")
    rest=${rest#*"$separator"}
  done
  _ps_parts+=("$rest")
}
