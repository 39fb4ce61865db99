# shellcheck shell=bash
# The argument list that starts the training.

# Usage: primus_launch_argv RESULT_ARRAY OPTIONS DIST PLAN [TRAIN_ARGUMENT...]
# Puts the program and its arguments into RESULT_ARRAY, from the command's options, the distributed settings and
# the plan. Arguments from hooks (PRIMUS_EXTRA_ARGS) stand before the user's, which win.
primus_launch_argv() {
  local -n _pla_argv=$1 _pla_options=$2 _pla_dist=$3 _pla_plan=$4
  local -a program=(-m primus.run) stage=("${@:5:2}") user=("${@:7}")
  [[ -z ${_pla_options["--script"]-} ]] || program=("${_pla_options["--script"]}")
  _pla_argv=("$PRIMUS_PYTHON")
  if [[ $PRIMUS_RUN_MODE != single ]]; then
    _pla_argv+=(-m primus.torchrun)
    _primus_launch_rendezvous
    _pla_argv+=(--nproc_per_node "${_pla_dist[nproc]}")
    [[ -z ${_pla_options["--numa"]-} ]] || _pla_argv+=(--numa_binding node)
    # No rank of this node on the console: to torchrun an empty filter means all, so a rank that is not there is named.
    [[ -z ${PRIMUS_RUN_DIR-} ]] ||
      _pla_argv+=(--log_dir "$PRIMUS_RUN_DIR/logs" --redirects 3 --tee 3 --local_ranks_filter "${_pla_plan[console_ranks]:-${_pla_dist[nproc]}}")
  fi
  _pla_argv+=("${program[@]}" "${stage[@]}")
  _pla_argv+=(${PRIMUS_EXTRA_ARGS[@]+"${PRIMUS_EXTRA_ARGS[@]}"} ${user[@]+"${user[@]}"})
}

_primus_launch_rendezvous() {
  if [[ -z ${_pla_dist[master_port]} ]]; then
    _pla_argv+=(--standalone)
  else
    _pla_argv+=(--nnodes "${_pla_dist[nnodes]}" --node_rank "${_pla_dist[node_rank]}")
    _pla_argv+=(--master_addr "${_pla_dist[master_addr]}" --master_port "${_pla_dist[master_port]}")
  fi
}

# Says which arguments of hooks the user's own replace.
primus_launch_note_overridden() {
  local name='' word=''
  local -i i=0
  for ((i = 0; i < ${#PRIMUS_EXTRA_ARGS[@]}; i += 2)); do
    name=${PRIMUS_EXTRA_ARGS[i]#--}
    for word; do
      word=${word%%=*}
      [[ ${word#--} != "$name" ]] || primus_log info "$name is taken from the command line, not from the hook that sets it"
    done
  done
}
