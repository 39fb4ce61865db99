# shellcheck shell=bash
# The layers of the environment and who wins. Where each variable comes from stands in the associative array
# _primus_env_origin: a name that is missing there was inherited.

# The precedence, once, lowest first.
_primus_env_rank() {
  local -n _per_result=$1
  local -A _per_ranks=(
    [accelerator]=0 [launcher]=1 [inherited]=2 [experiment]=3 [hook]=4 ["env-file"]=5 [env]=6 [primus]=7
  )
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _per_result=${_per_ranks["$2"]}
}

# Usage:   primus_env_apply LAYER NAME VALUE [ORIGIN]
# Does:    exports NAME=VALUE unless a layer above LAYER has set it already. LAYER is accelerator, launcher,
#          experiment, hook, env-file, env or primus (what the launcher decides); ORIGIN says where in that layer, for people.
# Streams: stderr, at debug level what was kept.
# Status:  0; 2 when NAME is no name of a variable, or one that bash keeps for itself.
# Example: primus_env_apply env-file NCCL_DEBUG INFO cluster.env:3
primus_env_apply() {
  local -
  set +xET
  local layer=$1 name=$2 value=$3 origin=${4:-$1} current='' mine=0 other=0
  declare -gA _primus_env_origin
  primus_is_identifier "$name" ||
    primus_fail usage "$origin sets \"$name\", which is no name of a variable" "names are letters, digits and _" || return
  ! _primus_env_reserved "$name" ||
    primus_fail usage "$origin sets $name, which bash keeps for itself" "take another name" || return
  current=${_primus_env_origin["$name"]-}
  current=${current%%:*}
  [[ -n $current || -z ${!name+set} ]] || current=inherited
  if [[ -n $current ]]; then
    _primus_env_rank mine "$layer"
    _primus_env_rank other "$current"
    if ((mine < other)); then
      primus_log debug "$name of $origin is not used: ${_primus_env_origin["$name"]-it was set before the launch} wins"
      return 0
    fi
  fi
  case $name in PATH | PYTHONPATH | LD_LIBRARY_PATH | LD_PRELOAD) _primus_path_clean value "$value" ;; esac
  export "$name=$value" || primus_fail usage "$origin cannot set $name" "it is read-only in this shell" || return
  _primus_env_origin["$name"]=$layer:$origin
}

_primus_env_reserved() {
  case $1 in BASHOPTS | BASH_VERSINFO | EUID | PPID | SHELLOPTS | UID) ;; *) return 1 ;; esac
}

# Exports what the launcher itself decides: nothing overrides it.
_primus_env_own() {
  declare -gA _primus_env_origin
  export "$1=$2"
  _primus_env_origin["$1"]='primus:the launcher'
}

# Leaves out the empty elements of a search path: they would mean the working directory.
_primus_path_clean() {
  local -n _ppc_result=$1
  local _ppc_path=:$2:
  while [[ $_ppc_path == *::* ]]; do _ppc_path=${_ppc_path//::/:}; done
  _ppc_path=${_ppc_path#:}
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _ppc_result=${_ppc_path%:}
}

# Usage:   primus_path_prepend NAME FOLDER
# Does:    exports the search path NAME with FOLDER as its first element, once, without an empty element.
# Status:  0; 2 when NAME is no name of a variable.
# Example: primus_path_prepend LD_LIBRARY_PATH /opt/rccl/lib
primus_path_prepend() {
  primus_is_identifier "$1" || return 2
  local path=''
  _primus_path_clean path "${!1-}"
  path=:$path:
  path=${path//":$2:"/:}
  _primus_path_clean path "$2$path"
  export "$1=$path"
}
