# shellcheck shell=bash
# How a step ended, told by how its nodes did: srun's own status is that of the last task that was stopped, not of the
# first that failed.

# Usage: primus_slurm_outcome FOLDER SRUN_STATUS SIGNAL STATUS CAUSE
# Puts into STATUS what the user gets and into CAUSE why, empty after success: Slurm's own reason when it ended the
# job, else the SIGNAL that ended it (if any), else the node that failed first, else one that was lost, else srun's
# status.
primus_slurm_outcome() {
  local _pso_folder=$1 _pso_status=$2 _pso_signal=$3 _pso_cause='' _pso_state='' _pso_first='' _pso_lost='' _pso_name=''
  local -i _pso_rank=0 _pso_seen=0 _pso_nodes=0
  local -A _pso_node=()
  for ((_pso_rank = 0; _pso_rank < (_pso_nodes ? _pso_nodes : 1); _pso_rank++)); do
    [[ -f $_pso_folder/node-${SLURM_RESTART_COUNT:-0}-$_pso_rank ]] || continue
    _primus_slurm_node_read _pso_node "$_pso_folder/node-${SLURM_RESTART_COUNT:-0}-$_pso_rank"
    _pso_seen+=1 _pso_nodes=${_pso_node[nodes]:-1}
    if [[ -z ${_pso_node[status]-} ]]; then
      _pso_lost+="${_pso_lost:+, }node rank $_pso_rank (${_pso_node[host]-})"
    elif [[ ${_pso_node[status]} != 0 ]] && [[ -z $_pso_first || ${_pso_node[time]} < $_pso_first ]]; then
      _pso_first=${_pso_node[time]} _pso_status=${_pso_node[status]}
      _pso_cause="node rank $_pso_rank (${_pso_node[host]}): ${_pso_node[cause]:-exited with status $_pso_status}"
    fi
  done
  if (($2 || ${#_pso_lost} || ${#_pso_first})) || [[ -n $_pso_signal ]]; then
    _primus_slurm_job_state _pso_state "$_pso_folder" "$_pso_lost"
    # To end the job is how the signal was obeyed.
    [[ -z $_pso_signal || $_pso_state != CANCELLED ]] || _pso_state=''
    case $_pso_state in
      CANCELLED | TIMEOUT | PREEMPTED | DEADLINE | NODE_FAIL | BOOT_FAIL | OUT_OF_MEMORY | REVOKED)
        _primus_slurm_state_describe _pso_status _pso_cause "$_pso_state" "$_pso_lost"
        ;;
      *)
        # Those that were told to end, because another did, are no cause.
        if [[ -n $_pso_signal ]]; then
          _pso_status=$((128 + $(builtin kill -l "$_pso_signal"))) _pso_cause="ended by signal $_pso_signal"
        elif [[ -n $_pso_first && (-z $_pso_lost || $_pso_status != 143) ]]; then
          :
        elif [[ -n $_pso_lost ]]; then
          _pso_status=$(($2 && $2 != 143 ? $2 : 137))
          _pso_cause="$_pso_lost ended without a word: killed, or the node was lost"
        else
          primus_status_describe _pso_name "$2"
          _pso_cause="srun $_pso_name before any node had started"
          ((_pso_seen == 0)) || _pso_cause="srun $_pso_name, though no node failed"
        fi
        ;;
    esac
  fi
  printf -v "$4" '%d' "$_pso_status"
  printf -v "$5" '%s' "$_pso_cause"
}

# Why Slurm ended the job of the step, if it did; empty where that cannot be known. LOST names nodes that vanished.
_primus_slurm_job_state() {
  local _psjs_job=${SLURM_JOB_ID-} _psjs_text='' _psjs_found='' _psjs_lost=$3
  local -i _psjs_tries=0
  local -A _psjs_node=()
  if [[ -z $_psjs_job && -f $2/node-0-0 ]]; then
    _primus_slurm_node_read _psjs_node "$2/node-0-0"
    _psjs_job=${_psjs_node[job]-}
  fi
  [[ $_psjs_job =~ ^[0-9]+$ ]] || return 0
  for ((_psjs_tries = 0; _psjs_tries < 25; _psjs_tries++)); do
    _psjs_text=$(timeout 10 scontrol -o show job "$_psjs_job" 2>/dev/null) || return 0
    [[ $_psjs_text =~ JobState=([A-Z_]+) ]] && _psjs_found=${BASH_REMATCH[1]}
    # A job of srun's own is over with it; what ended it shows when all its processes have gone.
    [[ -z ${SLURM_JOB_ID-} && ($_psjs_found == COMPLETING || $_psjs_found == RUNNING) ]] || break
    sleep 0.2
  done
  if [[ $_psjs_text =~ Reason=TimeLimit ]]; then
    _psjs_found=TIMEOUT
  elif [[ $_psjs_found == COMPLETING ]]; then
    # Seen from within the job: Slurm is ending it.
    [[ -n $_psjs_lost ]] && _psjs_found=NODE_FAIL || _psjs_found=CANCELLED
  fi
  printf -v "$1" '%s' "$_psjs_found"
}

_primus_slurm_state_describe() {
  local -A words=(
    [CANCELLED]="the job was cancelled" [TIMEOUT]="the job reached its time limit" [PREEMPTED]="a job of higher priority took the nodes"
    [DEADLINE]="the job reached its deadline" [NODE_FAIL]="Slurm lost a node" [BOOT_FAIL]="a node did not boot"
    [OUT_OF_MEMORY]="a process was killed because the node's memory was used up" [REVOKED]="the job was revoked"
  )
  local -A statuses=([NODE_FAIL]=137 [BOOT_FAIL]=137 [OUT_OF_MEMORY]=137)
  printf -v "$1" '%d' "${statuses["$3"]:-143}"
  printf -v "$2" '%s%s (%s)' "${words["$3"]}" "${4:+: $4}" "$3"
}
