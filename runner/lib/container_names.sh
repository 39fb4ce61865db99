# shellcheck shell=bash
# The container's name and labels.

# A name that no other launch has, also not the same job's before a requeue; or the one that was asked for, if no
# container of somebody else has it.
# Status: 0; 3 when the name is taken.
_primus_container_name() {
  local -n _pcn_options=$2
  local _pcn_name=${_pcn_options["--name"]-} _pcn_found=''
  if [[ -z $_pcn_name ]]; then
    printf -v "$1" 'primus-%(%Y%m%d-%H%M%S)T-%d-%06x' -1 "$$" "$(((RANDOM << 15 | RANDOM) & 0xffffff))"
    return 0
  fi
  printf -v "$1" '%s' "$_pcn_name"
  [[ $4 != apptainer ]] || return 0
  _pcn_found=$("$3" container inspect --format '{{.State.Status}} {{index .Config.Labels "primus.launcher.user"}}' "$_pcn_name" 2>/dev/null </dev/null) || return 0
  case $_pcn_found in
    "exited $UID" | "dead $UID" | "stopped $UID")
      [[ -z ${_pcn_options["--dry-run"]-} ]] || return 0
      primus_log info "removing the stopped container $_pcn_name of an earlier launch"
      "$3" rm "$_pcn_name" >/dev/null </dev/null || primus_fail environment "the container $_pcn_name cannot be removed" "give primus-cli container another --name"
      ;;
    *) primus_fail environment "there is a container $_pcn_name already (${_pcn_found%% *})" "remove it with ${3##*/} rm $_pcn_name, or give primus-cli container another --name" ;;
  esac
}

# The labels by which --clean knows what is ours.
_primus_container_labels() {
  local -n _pcl_result=$1
  local root=''
  primus_root root
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _pcl_result=(--label "primus.launcher=$(<"$root/VERSION")" --label "primus.launcher.user=$UID")
}
