# shellcheck shell=bash
# What of this host is seen in the container.

# Usage: _primus_container_mounts RESULT_ARRAY OPTIONS PLAN INSIDE...
# Fills RESULT_ARRAY with pairs: volume or mount, and its specification. The user's own come first; ours leave out
# what the user puts at the same place.
# Status: 0; 2 for a specification that cannot be read; 3 for a folder that does not exist.
_primus_container_mounts() {
  local -n _pcm_result=$1 _pcm_options=$2
  local spec='' path=''
  local -a given=() folders=() targets=()
  _pcm_result=()
  primus_option_list given _pcm_options --volume
  for spec in ${given[@]+"${given[@]}"}; do
    _primus_container_volume spec "$spec" || return
    targets+=("$path")
    _pcm_result+=(volume "$spec")
  done
  primus_option_list given _pcm_options --mount
  for spec in ${given[@]+"${given[@]}"}; do
    _primus_container_mount_check "$spec" || return
    [[ ! ,$spec, =~ ,(target|dst|destination)=([^,]*), ]] || targets+=("${BASH_REMATCH[2]}")
    _pcm_result+=(mount "$spec")
  done
  _primus_container_folders folders "$3" "${@:4}" || return
  for path in ${folders[@]+"${folders[@]}"}; do
    for spec in ${targets[@]+"${targets[@]}"}; do
      [[ ${spec%/} != "$path" ]] || continue 2
    done
    if [[ $path == *:* ]]; then
      _primus_container_mount_spec spec "$path"
      _pcm_result+=(mount "$spec")
    else
      _pcm_result+=(volume "$path:$path")
    fi
  done
}

# Puts HOST[:PATH[:OPTIONS]] with an absolute HOST into RESULT, and the place in the container into path. A HOST
# without a slash is a volume that the runtime keeps, unless it is all there is.
_primus_container_volume() {
  local _pcv_host=${2%%:*} _pcv_rest=''
  [[ $2 != *:* ]] || _pcv_rest=${2#*:}
  [[ -n $_pcv_host ]] || primus_fail usage "--volume \"$2\" names no folder of this host" "write --volume HOST[:PATH[:OPTIONS]]; see primus-cli container --help" || return
  if [[ $_pcv_host == */* || $_pcv_host == . || $_pcv_host == .. || -z $_pcv_rest ]]; then
    [[ $_pcv_host != '~'/* ]] || _pcv_host=${HOME-}${_pcv_host#'~'}
    [[ $_pcv_host == /* ]] || _pcv_host=$PWD/$_pcv_host
    [[ -e $_pcv_host ]] || primus_fail environment "there is no $_pcv_host on this host (--volume $2)" "make it, or correct --volume of primus-cli container" || return
  fi
  path=${_pcv_rest%%:*}
  # HOST alone, and HOST::OPTIONS.
  [[ -n $path ]] || path=$_pcv_host _pcv_rest=$_pcv_host$_pcv_rest
  [[ $path == /* ]] || primus_fail usage "--volume \"$2\": the place in the container is no absolute path" "write --volume HOST[:PATH[:OPTIONS]]; see primus-cli container --help" || return
  printf -v "$1" '%s:%s' "$_pcv_host" "$_pcv_rest"
}

_primus_container_mount_check() {
  [[ ,$1, =~ ,(source|src)=([^,]*), ]] || return 0
  [[ ${BASH_REMATCH[2]} != /* || -e ${BASH_REMATCH[2]} ]] ||
    primus_fail environment "there is no ${BASH_REMATCH[2]} on this host (--mount $1)" "make it, or correct --mount of primus-cli container"
}

# The long form takes any path: it is one line of comma-separated values, quotes doubled.
_primus_container_mount_spec() {
  printf -v "$1" 'type=bind,"source=%s","target=%s"' "${2//\"/\"\"}" "${2//\"/\"\"}"
}
