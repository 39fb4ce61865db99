# shellcheck shell=bash
# What a command is told, from all places: launcher configuration < environment < command line.

# Usage:   primus_options_read FILE OPTIONS REST [ARGUMENT...]
# Does:    fills the associative array OPTIONS from the arguments of the command FILE and from the launcher's
#          configuration: OPTIONS[--name] is the value (1 for a flag), OPTIONS[--name.origin] where it was set; a
#          list has its elements under [--name.0], [--name.1], ..., lowest layer first. --no-name takes --name
#          back. REST becomes the arguments that are not the command's own. With [--help] nothing else is read.
# Streams: stderr, what is wrong.
# Status:  0; 2 for a mistake in any of the places.
# Example: declare -A options=(); primus_options_read "$0" options rest "$@" || exit
primus_options_read() {
  local -n _por_options=$2
  local _por_file=$1 _por_name='' _por_other=''
  local -i _por_i=0 _por_count=0
  local -a _por_given=()
  local -A _por_kinds=() _por_variables=()
  primus_args_parse "$_por_file" _por_given "$3" "${@:4}" || return
  if ((${#_por_given[@]})) && [[ ${_por_given[-3]} == --help ]]; then
    _por_options["--help"]=1
    return 0
  fi
  _primus_help_options _por_kinds _por_variables "$_por_file"
  primus_secret_off_command_line "$_por_file" _por_given "$3"
  _primus_options_config || return
  for ((_por_i = 0; _por_i < ${#_por_given[@]}; _por_i += 3)); do
    _por_name=${_por_given[_por_i]}
    if [[ ${_por_kinds["$_por_name"]} == list ]]; then
      _por_count=${_por_options["$_por_name.count"]-0}
      _por_options["$_por_name.count"]=$((_por_count + 1))
      _por_name+=.$_por_count
    fi
    case $_por_name in --no-*) _por_other=--${_por_name#--no-} ;; *) _por_other=--no-${_por_name#--} ;; esac
    _por_options["$_por_name"]=${_por_given[_por_i + 1]}
    _por_options["$_por_name.origin"]=${_por_given[_por_i + 2]}
    unset "_por_options[$_por_other]" "_por_options[$_por_other.origin]"
  done
  [[ -z ${_por_options["--quiet"]-} ]] || export PRIMUS_LOG_LEVEL=warning
  [[ -z ${_por_options["--debug"]-} ]] || export PRIMUS_LOG_LEVEL=debug
}

# Adds the launcher's configuration. A command whose own --config is something else sets experiment_config.
_primus_options_config() {
  local config='' venv=''
  local -i i=0
  for ((i = 0; i < ${#_por_given[@]}; i += 3)); do
    case ${_por_given[i]} in
      --config) [[ -n ${experiment_config-} ]] || config=${_por_given[i + 1]} ;;
      --venv) venv=${_por_given[i + 1]} ;;
    esac
  done
  _primus_launcher_config_read "$_por_file" _por_given "$config" "$venv"
}

# Usage:   primus_options_add_environment FILE OPTIONS
# Does:    sets in OPTIONS those options of the command FILE that name an environment variable which is set and
#          not empty, unless the command line has them. Flags take 1, true, 0 and false.
# Streams: stderr, what is wrong.
# Status:  0; 2 for a flag with another value.
# Example: primus_options_add_environment "$0" options || exit
primus_options_add_environment() {
  local -n _poae_options=$2
  local name='' variable='' value='' other=''
  local -A kinds=() variables=()
  _primus_help_options kinds variables "$1"
  for name in ${variables[@]+"${!variables[@]}"}; do
    variable=${variables["$name"]} other=--no-${name#--}
    value=${!variable-}
    [[ -n $value && ${_poae_options["$name.origin"]-} != "$name" && ${_poae_options["$other.origin"]-} != "$other" ]] || continue
    if [[ ${kinds["$name"]} == flag ]]; then
      case $value in
        1 | true) value=1 ;;
        0 | false) value='' ;;
        *) primus_fail usage "$variable is \"$value\", neither 1 nor 0" "unset it, or see primus-cli ${1##*/} --help" || return ;;
      esac
    fi
    _poae_options["$name"]=$value
    _poae_options["$name.origin"]=$variable
  done
}

# Usage:   primus_option_list RESULT_ARRAY OPTIONS NAME
# Does:    puts into RESULT_ARRAY the elements of the list NAME.
# Status:  0.
# Example: primus_option_list files options --env-file
primus_option_list() {
  local -n _pol_result=$1 _pol_options=$2
  local -i _pol_i=0
  _pol_result=()
  for ((_pol_i = 0; _pol_i < ${_pol_options["$3.count"]-0}; _pol_i++)); do
    _pol_result+=("${_pol_options["$3.$_pol_i"]}")
  done
}
