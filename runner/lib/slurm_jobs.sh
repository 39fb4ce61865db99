# shellcheck shell=bash
# What became of a job: status, logs, cancel.

# Usage: primus_slurm_job_find JOB FOLDER RUN
# Puts into FOLDER Slurm's part of the record of RUN (a run's folder, its id, or a job's number; empty for a job that
# left none) and into JOB its job's number, empty where that is not known.
# Status: 0; 2.
primus_slurm_job_find() {
  local _psjf_folder='' _psjf_job=''
  local -A _psjf_node=()
  if ! primus_slurm_record_find _psjf_folder "$3" 2>/dev/null; then
    [[ $3 =~ ^[0-9]+(_[0-9]+)?$ ]] || primus_slurm_record_find _psjf_folder "$3" || return
    _psjf_job=$3
  elif [[ -f $_psjf_folder/job ]]; then
    _psjf_job=$(<"$_psjf_folder/job")
  elif [[ -f $_psjf_folder/node-0-0 ]]; then
    _primus_slurm_node_read _psjf_node "$_psjf_folder/node-0-0"
    _psjf_job=${_psjf_node[job]-}
  fi
  [[ ! $3 =~ ^[0-9]+_[0-9]+$ ]] || _psjf_job=$3
  printf -v "$1" '%s' "$_psjf_job"
  printf -v "$2" '%s' "$_psjf_folder"
}

# Usage: primus_slurm_job_status JOB FOLDER
# Prints the job's state, where its record is, and how each node stands.
primus_slurm_job_status() {
  local job=$1 folder=$2 line='' file='' state=unknown
  local -A node=()
  local -a lines=() files=()
  [[ -z $job ]] || mapfile -t lines < <(timeout 20 scontrol -o show job "$job" 2>/dev/null)
  for line in ${lines[@]+"${lines[@]}"}; do
    [[ $line =~ JobState=([A-Z_]+)\ Reason=([^ ]*) ]] && state="${BASH_REMATCH[1]} (${BASH_REMATCH[2]})"
    [[ $line =~ JobId=([0-9]+) ]] && printf 'job:     %s %s' "${BASH_REMATCH[1]}" "${state% (None)}"
    [[ $line =~ [[:space:]]RunTime=([^ ]+) ]] && printf ' after %s' "${BASH_REMATCH[1]}"
    [[ ! $line =~ [[:space:]]Restarts=([1-9][0-9]*) ]] || printf ', %s times queued again' "${BASH_REMATCH[1]}"
    [[ ! $line =~ [[:space:]]NodeList=([^ ]+) || ${BASH_REMATCH[1]} == '(null)' ]] || printf ' on %s' "${BASH_REMATCH[1]}"
    printf '\n'
  done
  ((${#lines[@]})) || printf 'job:     %s, which Slurm does not know any more\n' "${job:-none}"
  [[ -n $folder ]] || return 0
  printf 'record:  %s\n' "${folder%/slurm}"
  mapfile -d '' -t files < <(shopt -s nullglob && set +f -- "$folder"/node-* && (($#)) && printf '%s\0' "$@" | sort -zV)
  for file in ${files[@]+"${files[@]}"}; do
    [[ $file != *.new ]] || continue
    _primus_slurm_node_read node "$file"
    line=${file##*/node-}
    printf 'node %s (start %d, %s): %s\n' "${line#*-}" "$((${line%-*} + 1))" "${node[host]-}" "${node[cause]:-${node[status]:-training, or killed}}"
  done
}

# Usage: primus_slurm_job_logs JOB FOLDER FOLLOW
# Prints the job's log; with FOLLOW, goes on as it grows.
# Status: 0; 3 when there is none.
primus_slurm_job_logs() {
  local text='' log='' file=''
  [[ -z $1 ]] || text=$(timeout 20 scontrol -o show job "$1" 2>/dev/null) || text=''
  [[ ! $text =~ [[:space:]]StdOut=(.*)\ Power= ]] || log=${BASH_REMATCH[1]}
  for file in "$log" "$2/job-$1.out" "${2%/slurm}/logs/node-00000.log"; do
    [[ -f $file ]] || continue
    primus_log info "$file"
    if [[ -n $3 ]]; then exec tail -n +1 -F -- "$file"; fi
    cat -- "$file"
    return
  done
  primus_fail environment "there is no log of ${1:-this run} yet" "see primus-cli slurm status ${1:-RUN}"
}

# Usage: primus_slurm_job_cancel JOB
# Status: 0; 2 when there is nothing to cancel; scancel's own.
primus_slurm_job_cancel() {
  [[ -n $1 ]] || primus_fail usage "that run has no job" "see primus-cli slurm status" || return
  scancel "$1" || return
  primus_log info "job $1 was cancelled"
}
