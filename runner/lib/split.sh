# shellcheck shell=bash
# Cuts a text at a separator. No here-string, which needs room in /tmp, and no IFS, which is the caller's.

# Fills RESULT_ARRAY with the parts of TEXT between the character SEPARATOR; an empty TEXT has none.
_primus_split() {
  local -n _ps_parts=$1
  local _ps_separator=$2 _ps_rest=$3
  _ps_parts=()
  [[ -n $_ps_rest ]] || return 0
  while [[ $_ps_rest == *"$_ps_separator"* ]]; do
    _ps_parts+=("${_ps_rest%%"$_ps_separator"*}")
    _ps_rest=${_ps_rest#*"$_ps_separator"}
  done
  _ps_parts+=("$_ps_rest")
}
