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
    case ${_pap_kinds[$_pap_name]-} in
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

# Puts below what was given the options' environment variables, so that reading GIVEN in order, the last one
# winning, gives environment < command line. Flags take 1, true, 0 and false.
_primus_args_add_environment() {
  local file=$1
  local -n _paae_given=$2
  local name='' value='' variable=''
  local -a below=()
  local -A kinds=() variables=()
  _primus_help_options kinds variables "$file"
  for name in ${variables[@]+"${!variables[@]}"}; do
    variable=${variables[$name]}
    value=${!variable-}
    [[ -n $value ]] || continue
    if [[ ${kinds[$name]} == flag ]]; then
      case $value in
        1 | true) value=1 ;;
        0 | false) continue ;;
        *) primus_fail usage "$variable=\"$value\" is neither 1 nor 0" "unset it, or see primus-cli ${file##*/} --help" || return ;;
      esac
    fi
    below+=("$name" "$value" "$variable in the environment")
  done
  _paae_given=(${below[@]+"${below[@]}"} ${_paae_given[@]+"${_paae_given[@]}"})
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
