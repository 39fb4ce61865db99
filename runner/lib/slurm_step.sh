# shellcheck shell=bash
# Starts a step by srun, stays beside it, and tells how it ended.

# Usage: primus_slurm_step_run FOLDER COMMAND [ARGUMENT...]
# Runs COMMAND (srun, or what starts it). Its record lies in FOLDER. USR1 and USR2 go to every process of the step;
# INT, TERM and HUP cancel it in good order, for srun itself would kill the tasks. Says who failed first.
# Status: that of the first failing node; 128+N after a signal N.
primus_slurm_step_run() {
  local folder=$1 cause='' name='' level=error
  local -i status=0
  declare -g _primus_slurm_signal='' _primus_slurm_ended='' _primus_slurm_pid=''
  shift
  # An earlier launch of the same run may have left how its nodes ended.
  rm -f -- "$folder/node-${SLURM_RESTART_COUNT:-0}-"*
  # shellcheck disable=SC2064 # the name is meant to be expanded now
  for name in INT TERM HUP USR1 USR2; do trap "_primus_slurm_signal=$name" "$name"; done
  "$@" </dev/null &
  _primus_slurm_pid=$!
  while :; do
    status=0
    wait "$_primus_slurm_pid" || status=$?
    [[ -n $_primus_slurm_signal ]] || break
    _primus_slurm_step_signal "$folder"
  done
  primus_slurm_outcome "$folder" "$status" "$_primus_slurm_ended" status cause
  # A job that is queued again has not failed.
  [[ -z ${_primus_slurm_warned-} ]] || level=info
  [[ -z $cause ]] || primus_log "$level" "$cause"
  return "$status"
}

_primus_slurm_step_signal() {
  local name=$_primus_slurm_signal
  local -A node=()
  _primus_slurm_signal=''
  case $name in
    USR1 | USR2)
      builtin kill -s "${primus_slurm_warning_as:-$name}" "$_primus_slurm_pid" 2>/dev/null || :
      [[ -z ${primus_slurm_on_warning-} ]] || "$primus_slurm_on_warning"
      return
      ;;
  esac
  _primus_slurm_ended=$name
  if [[ -f $1/node-${SLURM_RESTART_COUNT:-0}-0 ]]; then
    _primus_slurm_node_read node "$1/node-${SLURM_RESTART_COUNT:-0}-0"
    # Inside of somebody's allocation only the step is ours to end.
    scancel "${node[job]}${SLURM_JOB_ID:+.${node[step]}}" 2>/dev/null || builtin kill -s TERM "$_primus_slurm_pid" 2>/dev/null || :
  else
    builtin kill -s TERM "$_primus_slurm_pid" 2>/dev/null || :
  fi
}
