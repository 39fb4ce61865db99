# shellcheck shell=bash
# JSON, written only.

# Puts TEXT into RESULT as a JSON string.
_primus_json_string() {
  local _pjs_text=$2 _pjs_out='' _pjs_char='' _pjs_code=''
  local -i _pjs_i=0
  _pjs_text=${_pjs_text//\\/"\\\\"}
  _pjs_text=${_pjs_text//\"/"\\\""}
  _pjs_text=${_pjs_text//$'\n'/"\\n"}
  _pjs_text=${_pjs_text//$'\t'/"\\t"}
  if [[ $_pjs_text == *[$'\001'-$'\037']* ]]; then
    for ((_pjs_i = 0; _pjs_i < ${#_pjs_text}; _pjs_i++)); do
      _pjs_char=${_pjs_text:_pjs_i:1}
      printf -v _pjs_code '%d' "'$_pjs_char"
      ((_pjs_code > 31)) || printf -v _pjs_char '\\u%04x' "$_pjs_code"
      _pjs_out+=$_pjs_char
    done
    _pjs_text=$_pjs_out
  fi
  printf -v "$1" '"%s"' "$_pjs_text"
}

# Puts the other arguments into RESULT as a JSON array of strings.
_primus_json_array() {
  local _pja_out='' _pja_item=''
  for _pja_item in "${@:2}"; do
    _primus_json_string _pja_item "$_pja_item"
    _pja_out+=${_pja_out:+, }$_pja_item
  done
  printf -v "$1" '[%s]' "$_pja_out"
}
