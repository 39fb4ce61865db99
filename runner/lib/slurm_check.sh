# shellcheck shell=bash
# The check of the experiment before anything is queued.

# Usage: primus_slurm_check PLAN NNODES NPROC VENV [TRAIN_ARGUMENT...]
# Fills the associative array PLAN as primus_plan_read does, with NNODES and NPROC 0 where they are not known here.
# Where this host has no Python that could, one line says that the check happens on the nodes; PLAN stays empty.
# Status: 0; 2 or 3 when the experiment cannot work.
primus_slurm_check() {
  # shellcheck disable=SC2034 # the nodes apply and tell what these hold
  local -a _psc_environment=() _psc_warnings=()
  local root='' found=''
  [[ ${5-} == train ]] || return 0
  primus_root root
  if ! found=$(primus_python_find found "$4" 2>/dev/null && printf '%s' "$found") ||
    ! "$found" -c 'from importlib.util import find_spec as f; raise SystemExit(not (f("yaml") and f("packaging")))' 2>/dev/null; then
    primus_log info "this host has no Python with PyYAML: the experiment is checked on the nodes"
    return 0
  fi
  # shellcheck disable=SC2034 # primus_plan_read takes it
  local PRIMUS_PYTHON=$found
  # torch is the nodes' business.
  local -x PRIMUS_RUN_MODE=single
  local -x PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH}
  # Without one of the counts there is nothing to check the other against.
  primus_plan_read "$1" _psc_environment _psc_warnings "$(($2 && $3 ? $2 : 1))" 0 "$(($2 ? $3 : 0))" "${@:5}"
}
