# shellcheck shell=bash
# Asks Python, once, what the experiment says: see primus/plan.py.

# Usage:   primus_plan_read PLAN ENVIRONMENT WARNINGS NNODES NODE_RANK NPROC [TRAIN_ARGUMENT...]
# Does:    fills the associative array PLAN (framework, module, stage, config, exp_dir, data_path, ...), the list
#          ENVIRONMENT of NAME=VALUE, and the list WARNINGS.
# Streams: stderr, what is wrong with the experiment.
# Status:  0, or that of the check: 2 for a configuration, 3 for a host that cannot run it.
# Example: primus_plan_read plan environment warnings 1 0 2 train pretrain --config exp.yaml
primus_plan_read() {
  local -n _ppr_plan=$1 _ppr_environment=$2 _ppr_warnings=$3
  local _ppr_record='' _ppr_status=0
  local -a _ppr_records=()
  local -a _ppr_argv=(--nnodes "$4" --node-rank "$5" --nproc-per-node "$6" -- "${@:7}")
  if _primus_launcher_config_waits; then
    _primus_launcher_config_plan _ppr_records "${_ppr_argv[@]}" || _ppr_status=$?
  else
    mapfile -d '' -t _ppr_records < <(exec "$PRIMUS_PYTHON" -m primus.plan "${_ppr_argv[@]}" </dev/null)
    wait "$!" || _ppr_status=$?
  fi
  ((_ppr_status == 0)) || return "$_ppr_status"
  _ppr_plan=() _ppr_environment=() _ppr_warnings=()
  for _ppr_record in ${_ppr_records[@]+"${_ppr_records[@]}"}; do
    case $_ppr_record in
      env.*) _ppr_environment+=("${_ppr_record#env.}") ;;
      warning=*) _ppr_warnings+=("${_ppr_record#warning=}") ;;
      *=*) _ppr_plan["${_ppr_record%%=*}"]=${_ppr_record#*=} ;;
    esac
  done
  [[ -n ${_ppr_plan[framework]-} && -n ${_ppr_plan[stage]-} && -n ${_ppr_plan[exp_dir]-} ]] ||
    primus_fail fault "primus.plan under $PRIMUS_PYTHON gave no plan" "is that Python's module primus this project's? see PYTHONPATH"
}
