# shellcheck shell=bash
# The command that runs inside the container.

# Usage: _primus_container_inside OWN REST
# REST is what followed the container's `--`: options of direct, then what to run. They are checked here, where a
# mistake costs nothing, and become --name=value ... -- what to run. The variables among them move to OWN, the
# container's options, which keep values off every command line.
# Status: 0; 2 for a mistake in the options of direct.
_primus_container_inside() {
  local -n _pci_own=$1 _pci_rest=$2
  local root='' direct=''
  local -i i=0
  local -a given=() train=() options=()
  # shellcheck disable=SC2034 # not needed here
  local -A kinds=([--help]=flag) variables=()
  ((${#_pci_rest[@]})) || return 0
  primus_root root
  direct=$root/runner/commands/direct
  [[ ${_pci_rest[0]} != direct ]] || _pci_rest=("${_pci_rest[@]:1}")
  primus_args_parse "$direct" given train ${_pci_rest[@]+"${_pci_rest[@]}"} || return
  _primus_help_options kinds variables "$direct"
  for ((i = 0; i < ${#given[@]}; i += 3)); do
    case ${given[i]} in
      --env | --env-file) _pci_own+=("${given[i]}=${given[i + 1]}") ;;
      *) if [[ ${kinds["${given[i]}"]} == flag ]]; then options+=("${given[i]}"); else options+=("${given[i]}=${given[i + 1]}"); fi ;;
    esac
  done
  ((${#train[@]})) || [[ " ${options[*]-} " == *' --help '* ]] ||
    primus_fail usage "there is nothing to run" "primus-cli container [options] -- train pretrain --config FILE" || return
  _pci_rest=(${options[@]+"${options[@]}"} -- ${train[@]+"${train[@]}"})
}

# Usage: _primus_container_settings INSIDE
# Puts before the options of direct in INSIDE what this host's launcher configuration says of direct, for the
# container has another home folder. The environment stands above it, as in direct itself.
# Status: 0; 2 or 3 as the reading says.
_primus_container_settings() {
  local -n _pcs_inside=$1
  local root='' direct='' name='' value=''
  local -i i=0
  local -a given=() found=()
  # shellcheck disable=SC2034 # not needed here
  local -A kinds=()
  local -A variables=()
  primus_root root
  direct=$root/runner/commands/direct
  _primus_launcher_config_read "$direct" given "${options["--config"]-}" '' || return
  _primus_launcher_config_end || :
  _primus_help_options kinds variables "$direct"
  for ((i = 0; i < ${#given[@]}; i += 3)); do
    name=${given[i]} value=${variables["${given[i]}"]-}
    [[ -z $value || -z ${!value-} ]] || continue
    case $name in
      --env | --env-file) ;;
      *) if [[ ${kinds["$name"]} == flag ]]; then found+=("$name"); else found+=("$name=${given[i + 1]}"); fi ;;
    esac
  done
  _pcs_inside=(${found[@]+"${found[@]}"} "${_pcs_inside[@]}")
}

# Puts into RESULT the last value of one of the options NAME|NAME among the arguments; empty without.
_primus_container_argument() {
  local _pca_previous='' _pca_word='' _pca_key='' _pca_found=''
  for _pca_word in "${@:3}"; do
    _pca_key=${_pca_word%%=*}
    _pca_key=${_pca_key//-/_}
    [[ "|$2|" != *"|$_pca_previous|"* ]] || _pca_found=$_pca_word
    _pca_previous=''
    if [[ $_pca_word == --*=* ]]; then
      [[ "|$2|" != *"|${_pca_key#__}|"* ]] || _pca_found=${_pca_word#*=}
    elif [[ $_pca_word == --* ]]; then
      _pca_previous=${_pca_key#__}
    fi
  done
  printf -v "$1" '%s' "$_pca_found"
}
