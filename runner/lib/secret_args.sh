# shellcheck shell=bash
# Secrets in arguments.

# Usage:   primus_secret_mask_args RESULT_ARRAY ARGUMENT...
# Does:    copies the arguments, with *** for the value of every option or key whose name looks secret, and
#          everything that primus_secret_mask finds.
# Status:  0.
# Example: primus_secret_mask_args shown "$@"; printf '%q ' "${shown[@]}"
primus_secret_mask_args() {
  local -n _psma_result=$1
  local -a _psma_values=() _psma_out=()
  local _psma_arg='' _psma_key='' _psma_next=''
  _primus_secret_values _psma_values
  shift
  for _psma_arg; do
    _psma_key=${_psma_arg%%=*}
    if [[ -n $_psma_next && $_psma_arg != -* ]]; then
      _psma_arg='***'
    elif [[ $_psma_arg == *=* ]] && _primus_secret_name "${_psma_key##*.}"; then
      _psma_arg="$_psma_key=***"
    else
      _primus_secret_mask_values _psma_values _psma_arg "$_psma_arg"
    fi
    _psma_next=''
    [[ $_psma_arg != --* || $_psma_arg == *=* ]] || ! _primus_secret_name "${_psma_key##*.}" || _psma_next=1
    _psma_out+=("$_psma_arg")
  done
  _psma_result=(${_psma_out[@]+"${_psma_out[@]}"})
}

# Everybody on a host can read the command line of a process. Where --env NAME=VALUE holds a secret, the command
# FILE is started once more, with the secret in its environment and --env NAME in its place. GIVEN and REST are
# names of arrays, as primus_args_parse fills them.
primus_secret_off_command_line() {
  local -n _psocl_given=$2 _psocl_rest=$3
  local name='' value='' found=''
  local -i i=0
  local -a again=()
  # shellcheck disable=SC2034 # not needed here
  local -A variables=()
  local -A kinds=()
  _primus_help_options kinds variables "$1"
  for ((i = 0; i < ${#_psocl_given[@]}; i += 3)); do
    name=${_psocl_given[i]} value=${_psocl_given[i + 1]}
    if [[ $name == --env && $value == *=* ]] && primus_is_identifier "${value%%=*}" && _primus_secret_name "${value%%=*}"; then
      export "${value?}"
      found=1 value=${value%%=*}
    fi
    [[ ${kinds["$name"]} == flag ]] && again+=("$name") || again+=("$name=$value")
  done
  [[ -z $found ]] || exec "$BASH" "$1" "${again[@]}" -- ${_psocl_rest[@]+"${_psocl_rest[@]}"}
}
