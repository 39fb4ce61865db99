# shellcheck shell=bash
# What the launcher itself puts into the environment of hooks and training.

# Usage: primus_launch_mode OPTIONS DIST
# Checks the options that shape the launch, and exports PRIMUS_RUN_MODE (torchrun or single) and what they set.
# Status: 0; 2 or 3 for an option that cannot be.
primus_launch_mode() {
  local -n _plm_options=$1 _plm_dist=$2
  local name=''
  [[ -z ${_plm_options["--single"]-} ]] || PRIMUS_RUN_MODE=single
  case ${PRIMUS_RUN_MODE:=torchrun} in
    single)
      [[ ${_plm_dist[nproc]:-1} == 1 || ${_plm_dist["nproc.origin"]} == GPUS_PER_NODE* ]] ||
        primus_fail usage "--single starts one process, not ${_plm_dist[nproc]} (${_plm_dist["nproc.origin"]})" "leave out one of them for primus-cli direct" || return
      _plm_dist["nproc"]=1 _plm_dist["nproc.origin"]=--single
      [[ -z ${_plm_options["--numa"]-} ]] ||
        primus_fail usage "--numa (${_plm_options["--numa.origin"]}) binds each rank to its device, but --single has one process for all" \
          "leave out one of them, or bind it yourself: numactl ... primus-cli direct --single ..." || return
      ;;
    torchrun) ;;
    *) primus_fail usage "PRIMUS_RUN_MODE is \"$PRIMUS_RUN_MODE\"" "primus-cli direct knows torchrun and single" || return ;;
  esac
  for name in --grace --hook-timeout; do
    [[ -z ${_plm_options["$name"]-} ]] || _primus_is_count "${_plm_options["$name"]}" ||
      primus_fail usage "${_plm_options["$name.origin"]} is \"${_plm_options["$name"]}\", which is no whole number of seconds" "correct it for primus-cli direct" || return
  done
  [[ -z ${_plm_options["--hook-timeout"]-} ]] || _primus_env_own PRIMUS_HOOK_TIMEOUT "${_plm_options["--hook-timeout"]}"
  # torchrun reads this one; its option of the same meaning is newer than some versions in use.
  [[ -z ${_plm_options["--grace"]-} ]] || _primus_env_own TORCH_ELASTIC_SHUTDOWN_TIMEOUT "${_plm_options["--grace"]}"
  _primus_env_own PRIMUS_RUN_MODE "$PRIMUS_RUN_MODE"
}

# Usage: primus_launch_numa OPTIONS DIST
# Takes --numa back where there are no devices: torchrun would fail.
# Status: 0.
primus_launch_numa() {
  local -n _pln_options=$1 _pln_dist=$2
  [[ -n ${_pln_options["--numa"]-} && -z ${_pln_dist[accelerator]} ]] || return 0
  primus_log warning "--numa (${_pln_options["--numa.origin"]}) has no effect: this host has no accelerator"
  unset '_pln_options[--numa]'
}

# Usage: primus_launch_environment DIST
# Exports what every process of the launch relies on. Called again before training starts, for hooks may have
# changed the interpreter or the search path.
# Status: 0; 3 when the interpreter that a hook named is not there.
primus_launch_environment() {
  local -n _ple_dist=$1
  local root='' name='' variable='' version=''
  local -A variables=([nnodes]=NNODES [node_rank]=NODE_RANK [nproc]=GPUS_PER_NODE [master_addr]=MASTER_ADDR [master_port]=MASTER_PORT)
  primus_root root
  primus_python_find PRIMUS_PYTHON || return
  export PRIMUS_PYTHON
  _primus_env_own PRIMUS_ROOT "$root"
  _primus_api_version version
  _primus_env_own PRIMUS_SHELL_API "$version"
  primus_path_prepend PYTHONPATH "$root"
  # Hooks may set these two, which stay below them in the order.
  _primus_env_origin[PRIMUS_PYTHON]='inherited:the launcher' _primus_env_origin[PYTHONPATH]='inherited:the launcher, before what was set'
  for name in "${!variables[@]}"; do
    variable=${variables["$name"]}
    [[ -z ${_ple_dist["$name"]} ]] || _primus_env_own "$variable" "${_ple_dist["$name"]}"
  done
}

# Usage: primus_launch_plan_environment PLAN
# Exports what the experiment's check found out.
primus_launch_plan_environment() {
  local -n _plpe=$1
  _primus_env_own PRIMUS_PLAN_FRAMEWORK "${_plpe[framework]}"
  _primus_env_own PRIMUS_PLAN_FRAMEWORK_ORIGIN "${_plpe[framework_origin]-}"
  _primus_env_own PRIMUS_PLAN_STAGE "${_plpe[stage]}"
  _primus_env_own PRIMUS_PLAN_CONFIG "${_plpe[config]-}"
  _primus_env_own PRIMUS_DATA_PATH "${_plpe[data_path]-}"
}
