# shellcheck shell=bash
# Reads a command's own options.

# Usage:   primus_args_parse FILE GIVEN REST [ARGUMENT...]
# Does:    reads the arguments by the options that the header comment of FILE declares. GIVEN becomes a flat list
#          of three elements for each option: its name, its value (1 for a flag), and where it was set. REST
#          becomes what follows the first `--`, or begins with the first word that is no option, verbatim.
#          --help ends the reading.
# Streams: stderr, what is wrong.
# Status:  0; 2 for an unknown option, a missing value, or a value for a flag.
# Example: primus_args_parse "$0" given rest "$@" || exit
primus_args_parse() {
  local -n _pap_given=$2 _pap_rest=$3
  local _pap_file=$1 _pap_name='' _pap_word=''
  local -A _pap_kinds=([--help]=flag) _pap_variables=()
  _primus_help_options _pap_kinds _pap_variables "$_pap_file"
  _pap_given=() _pap_rest=()
  shift 3
  while (($#)); do
    _pap_word=$1
    case $_pap_word in
      --) shift && break ;;
      -h) _pap_word=--help ;;
      --?*) ;;
      -?*) _primus_args_unknown "$_pap_word" || return ;;
      *) break ;;
    esac
    shift
    _pap_name=${_pap_word%%=*}
    _pap_name=--${_pap_name:2:1}${_pap_name:3}
    _pap_name=${_pap_name//_/-}
    case ${_pap_kinds["$_pap_name"]-} in
      flag)
        [[ $_pap_word != *=* ]] || _primus_args_fail "$_pap_name takes no value, got \"${_pap_word#*=}\"" || return
        _pap_given+=("$_pap_name" 1 "$_pap_name")
        [[ $_pap_name != --help ]] || return 0
        ;;
      value | list)
        if [[ $_pap_word == *=* ]]; then
          _pap_given+=("$_pap_name" "${_pap_word#*=}" "$_pap_name")
        elif (($# == 0)) || [[ $1 == -- ]]; then
          _primus_args_fail "$_pap_name needs a value" || return
        else
          _pap_given+=("$_pap_name" "$1" "$_pap_name")
          shift
        fi
        ;;
      *) _primus_args_unknown "$_pap_word" || return ;;
    esac
  done
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _pap_rest=("$@")
}

_primus_args_fail() {
  primus_fail usage "$1" "see primus-cli ${_pap_file##*/} --help"
}

_primus_args_unknown() {
  local nearest=''
  primus_suggest nearest "${1%%=*}" "${!_pap_kinds[@]}"
  primus_fail usage "unknown option ${1%%=*}" \
    "${nearest:+did you mean $nearest? }see primus-cli ${_pap_file##*/} --help"
}
