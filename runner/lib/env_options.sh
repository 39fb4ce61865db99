# shellcheck shell=bash
# The options --env and --env-file.

# Usage:   primus_env_from_options OPTIONS
# Does:    applies the files of --env-file, then each --env NAME=VALUE; NAME alone keeps NAME as it is. Those that
#          the launcher's configuration gives belong to its own, lower layer.
# Streams: stderr, what is wrong.
# Status:  0; 2 for what is neither NAME nor NAME=VALUE; 3 when a file cannot be read.
# Example: primus_env_from_options options
primus_env_from_options() {
  local -n _pefo=$1
  local option='' item='' name='' layer=''
  local -i i=0
  for option in --env-file --env; do
    for ((i = 0; i < ${_pefo["$option.count"]-0}; i++)); do
      item=${_pefo["$option.$i"]} layer=${option#--}
      [[ ${_pefo["$option.$i.origin"]} == "$option" ]] || layer=launcher
      if [[ $option == --env-file ]]; then
        primus_env_file_read "$item" "$layer" || return
        continue
      fi
      name=${item%%=*}
      if [[ $item == *=* ]]; then
        primus_env_apply "$layer" "$name" "${item#*=}" "${_pefo["$option.$i.origin"]}" || return
      elif ! primus_is_identifier "$name"; then
        primus_fail usage "--env \"$name\" is neither NAME=VALUE nor NAME" "names are letters, digits and _; see primus-cli direct --help" || return
      elif [[ -n ${!name+set} ]]; then
        primus_env_apply "$layer" "$name" "${!name}" --env || return
      fi
    done
  done
}
