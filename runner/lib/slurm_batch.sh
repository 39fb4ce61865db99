# shellcheck shell=bash
# What a batch script does around its step: a warning before the end, requeueing, and the last word.

# Usage: primus_slurm_batch_run FOLDER REQUEUES SECONDS COMMAND [ARGUMENT...]
# Runs COMMAND as primus_slurm_step_run does. On USR1 or USR2, which Slurm sends before it ends the job, the ranks
# save a checkpoint; with REQUEUES above the job's restarts so far they then leave, and the job is queued again, at
# the latest SECONDS after the signal.
# Status: that of primus_slurm_step_run.
primus_slurm_batch_run() {
  local folder=$1 requeues=$2
  local -i status=0
  declare -g primus_slurm_on_warning=''
  declare -g _primus_slurm_warned='' _primus_slurm_alarm='' _primus_slurm_seconds=$3
  shift 3
  if ((${SLURM_RESTART_COUNT:-0} < requeues)); then
    export PRIMUS_STOP_AFTER_SAVE=1
    # shellcheck disable=SC2034 # primus_slurm_step_run calls it
    primus_slurm_on_warning=_primus_slurm_batch_warned
  else
    unset PRIMUS_STOP_AFTER_SAVE
  fi
  # What announces the end is the site's choice; what ranks understand is ours.
  # shellcheck disable=SC2034 # primus_slurm_step_run sends it
  primus_slurm_warning_as=USR2
  export SLURM_RESTART_COUNT=${SLURM_RESTART_COUNT:-0}
  primus_log info "job ${SLURM_JOB_ID-} on ${SLURM_JOB_NODELIST-}, start $((SLURM_RESTART_COUNT + 1))"
  primus_slurm_step_run "$folder" "$@" || status=$?
  [[ -z $_primus_slurm_alarm ]] || builtin kill "$_primus_slurm_alarm" 2>/dev/null || :
  if [[ -n $_primus_slurm_warned ]] && ((status)); then
    primus_log info "the job is queued again; run ${PRIMUS_RUN_ID-} goes on from its last complete checkpoint"
    # Slurm then ends this script.
    scontrol requeue "$SLURM_JOB_ID" && sleep 60
  fi
  primus_slurm_secrets_remove "$folder"
  return "$status"
}

_primus_slurm_batch_warned() {
  local seconds=$_primus_slurm_seconds job=$SLURM_JOB_ID
  [[ -z $_primus_slurm_warned ]] || return 0
  _primus_slurm_warned=1
  primus_log info "Slurm announced the end of this job: the ranks save a checkpoint"
  # Also when the backend cannot save, or takes too long.
  (sleep "$seconds" && scontrol requeue "$job") &
  _primus_slurm_alarm=$!
}
