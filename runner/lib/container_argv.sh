# shellcheck shell=bash
# The command line of docker and podman, up to the image.

# Usage: _primus_container_argv RESULT_ARRAY OPTIONS MOUNTS RUNTIME KIND NAME WORKDIR
# What the user gave stands last, so that it wins.
# Status: 0; 3 for a device that cannot be used.
_primus_container_argv() {
  local -n _pcarg_result=$1 _pcarg_options=$2 _pcarg_mounts=$3
  local kind=$5 name='' i=0
  local -a pass=() labels=() limits=() devices=()
  primus_option_list pass _pcarg_options --pass
  _primus_container_labels labels
  _primus_container_limits limits ${pass[@]+"${pass[@]}"}
  _primus_container_devices devices "$2" "$kind" || return
  _pcarg_result=("$4" run --rm --interactive --name "$6" "${labels[@]}" --entrypoint bash --workdir "$7"
    --stop-timeout "$((${_pcarg_options["--grace"]:-10} + 5))")
  # Ranks of several nodes meet on the host's own network, and so do its fast interfaces.
  [[ " ${pass[*]-} " =~ \ --(network|net)[=\ ] ]] || _pcarg_result+=(--network host)
  # Where SELinux is enforced, nothing mounted could be read otherwise.
  [[ ! -e /sys/fs/selinux/enforce || " ${pass[*]-} " == *label* ]] || _pcarg_result+=(--security-opt label=disable)
  _pcarg_result+=("${limits[@]}" ${devices[@]+"${devices[@]}"})
  for name in --user --pull; do
    [[ -z ${_pcarg_options["$name"]-} ]] || _pcarg_result+=("$name" "${_pcarg_options["$name"]}")
  done
  for ((i = 0; i < ${#_pcarg_mounts[@]}; i += 2)); do
    _pcarg_result+=("--${_pcarg_mounts[i]}" "${_pcarg_mounts[i + 1]}")
  done
  _pcarg_result+=(${pass[@]+"${pass[@]}"})
}

# Usage: _primus_container_entry_argv RESULT_ARRAY OPTIONS INSIDE...
# What bash, the container's program, is given.
_primus_container_entry_argv() {
  local -n _pcea_result=$1 _pcea_options=$2
  local root='' word=''
  local -a direct=() args=("${@:3}")
  primus_root root
  _primus_container_env_words direct
  direct+=(${args[@]+"${args[@]}"})
  _pcea_result=("$root/runner/helpers/container_entry.sh" --grace "${_pcea_options["--grace"]:-10}")
  # Runtimes keep the command as JSON, which holds no bytes but text.
  if ! _primus_container_is_text "${direct[*]}"; then
    _pcea_result+=(--percent)
    for word in "${!direct[@]}"; do _primus_container_percent "direct[$word]" "${direct[$word]}"; done
  fi
  _pcea_result+=(-- "${direct[@]}")
}

_primus_container_is_text() {
  local LC_ALL=C.UTF-8
  [[ $1 =~ ^.*$ ]]
}

# Puts TEXT into RESULT with %XX for % and every byte that is not ASCII.
_primus_container_percent() {
  local LC_ALL=C _pcp_out='' _pcp_char='' _pcp_code=0
  local -i _pcp_i=0
  for ((_pcp_i = 0; _pcp_i < ${#2}; _pcp_i++)); do
    _pcp_char=${2:_pcp_i:1}
    printf -v _pcp_code '%d' "'$_pcp_char"
    ((_pcp_code >= 0)) || _pcp_code=$((_pcp_code + 256))
    [[ $_pcp_char != % ]] && ((_pcp_code < 128)) || printf -v _pcp_char '%%%02X' "$_pcp_code"
    _pcp_out+=$_pcp_char
  done
  printf -v "$1" '%s' "$_pcp_out"
}
