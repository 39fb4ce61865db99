# shellcheck shell=bash
# Submits a batch script, tells where everything is, and may wait.

# Usage: primus_slurm_submit FOLDER WAIT [FLAG...]
# Submits FOLDER/job.sh with flags over those in the script. With WAIT, waits for the job's end.
# Status: 0; sbatch's own; with WAIT that of the job.
primus_slurm_submit() {
  local folder=$1 wait=$2 job='' log='' text=''
  local -i status=0
  shift 2
  job=$(sbatch --parsable "$@" "$folder/job.sh") || status=$?
  ((status == 0)) || primus_slurm_refused "sbatch" "$status" || return
  job=${job%%;*}
  printf '%s\n' "$job" >"$folder/job"
  text=$(timeout 10 scontrol -o show job "$job" 2>/dev/null) || text=''
  [[ ! $text =~ [[:space:]]StdOut=(.*)\ Power= ]] || log=${BASH_REMATCH[1]}
  log=${log:-$folder/job-$job.out}
  # An array has one for each element.
  log=${log/%_4294967294.out/_N.out}
  printf '%s\n' "$job"
  primus_log info "job $job is queued; run ${PRIMUS_RUN_ID-}"
  primus_log info "log:    $log"
  printf -v text 'primus-cli slurm logs %q' "$job"
  primus_log info "follow: $text"
  primus_log info "cancel: primus-cli slurm cancel $job"
  [[ -n $wait ]] || return 0
  primus_slurm_wait "$job" "$folder"
}

# Usage: primus_slurm_refused PROGRAM STATUS
# Says that Slurm refused a request; its own words stand above.
# Status: 2, for that is what was asked for; a signal's as it is.
primus_slurm_refused() {
  (($2 <= 128 || $2 == 255)) || return "$2"
  primus_fail usage "$1 refused the job (status $2)" "its own lines above say why; nothing was queued"
}

# Usage: primus_slurm_wait JOB FOLDER
# Waits until a job, or every element of an array, has left the queue, and says why it failed.
# Status: that of the job; of an array, that of the first element that failed.
primus_slurm_wait() {
  local job=$1 line='' state='' cause=''
  local -i status=0 result=0 all=1 began=SECONDS
  local -a lines=()
  while :; do
    mapfile -t lines < <(timeout 20 scontrol -o show job "$job" 2>/dev/null)
    all=1
    for line in ${lines[@]+"${lines[@]}"}; do
      [[ $line =~ JobState=([A-Z_]+) ]] || continue
      case ${BASH_REMATCH[1]} in PENDING | RUNNING | SUSPENDED | CONFIGURING | COMPLETING | REQUEUED | REQUEUE_HOLD | STOPPED | RESIZING | SIGNALING | STAGE_OUT) all=0 ;; esac
    done
    ((all == 0)) || break
    # Short jobs are not kept waiting, long ones do not trouble the controller.
    sleep "$((SECONDS - began < 60 ? 1 : 5))"
  done
  ((${#lines[@]})) || primus_fail environment "Slurm does not know job $job any more" "see sacct -j $job; the run's record holds its log" || return
  for line in "${lines[@]}"; do
    status=0 cause=''
    [[ $line =~ JobState=([A-Z_]+) ]] && state=${BASH_REMATCH[1]}
    [[ ! $line =~ [[:space:]]ExitCode=([0-9]+):([0-9]+) ]] || status=$((BASH_REMATCH[1] ? BASH_REMATCH[1] : (BASH_REMATCH[2] ? 128 + BASH_REMATCH[2] : 0)))
    case $state in
      COMPLETED) ;;
      FAILED) _primus_slurm_last_word cause "$line" ;;
      *) _primus_slurm_state_describe status cause "$state" '' ;;
    esac
    [[ $state != COMPLETED || $status != 0 ]] || continue
    [[ $line =~ JobId=([0-9]+) ]]
    primus_log error "job ${BASH_REMATCH[1]}: ${cause:-its script exited with status $status}"
    ((result)) || result=$status
  done
  return "$result"
}

# Puts into RESULT the reason that a batch job gave in its log.
_primus_slurm_last_word() {
  local _pslw_file='' _pslw_line=''
  [[ $2 =~ [[:space:]]StdOut=(.*)\ Power= ]] || return 0
  _pslw_file=${BASH_REMATCH[1]}
  [[ -f $_pslw_file ]] || return 0
  while IFS= read -r _pslw_line; do
    [[ $_pslw_line != '[primus] ERROR '* ]] || printf -v "$1" '%s' "${_pslw_line#'[primus] ERROR '}"
  done < <(tail -n 50 -- "$_pslw_file")
}
