# shellcheck shell=bash
# What prepare_experiment.sh does.

# Usage: primus_framework_hooks_run STAGE [TRAIN_ARGUMENT...]
# Runs the hooks of the experiment's framework: its *.sh in byte order, then prepare.py. The framework comes from
# the launcher; without one, the experiment is asked.
# Status: 0; 2 or 3 when the experiment does not say; 3, 4 or 128+N as execute_hooks.
primus_framework_hooks_run() {
  local stage=$1 framework=${PRIMUS_PLAN_FRAMEWORK-}
  # shellcheck disable=SC2034 # the launcher above has applied and told what these hold
  local -a files=() environment=() warnings=()
  local -A plan=()
  declare -g _primus_hooks_inner=1
  shift
  if [[ -z $framework ]]; then
    [[ -n ${PRIMUS_PYTHON-} ]] || primus_python_find PRIMUS_PYTHON || return
    export PRIMUS_PYTHON
    primus_plan_read plan environment warnings "${NNODES:-1}" "${NODE_RANK:-0}" "${GPUS_PER_NODE:-1}" train "$stage" "$@" || return
    framework=${plan[framework]}
    export PRIMUS_PLAN_FRAMEWORK=$framework PRIMUS_PLAN_FRAMEWORK_ORIGIN=${plan[framework_origin]-} PRIMUS_PLAN_CONFIG=${plan[config]-}
  fi
  primus_hooks_list_framework files "$stage" "$framework" || return
  primus_hooks_run "${#files[@]}" ${files[@]+"${files[@]}"} "$@"
}
