# shellcheck shell=bash
# The batch script: everything that a job needs stands in it, by absolute paths, for Slurm runs a copy of it.

# Usage: primus_slurm_script_print FOLDER RUN_ID OPTIONS FLAGS_ARRAY SWEEP_ARRAY COMMAND_ARRAY
# FLAGS_ARRAY is for sbatch. COMMAND_ARRAY is what each node runs, up to where the overrides of a sweep are added.
# Status: 0; 2 for a flag that cannot stand in a script.
primus_slurm_script_print() {
  local folder=$1 id=$2
  local -n _pssp_options=$3 _pssp_sweep=$5 _pssp_command=$6
  _primus_slurm_script_directives "$4" || return
  printf '#\n# Written by primus-cli slurm. Submitting it once more goes on with the same run:\n#   sbatch %q\n' "$folder/job.sh"
  printf 'set -euo pipefail\n\n'
  _primus_slurm_script_overrides
  _primus_slurm_script_run
}

_primus_slurm_script_directives() {
  local -n _pssd_flags=$1
  local word=''
  local -a lines=()
  for word in "${_pssd_flags[@]}"; do
    [[ $word != *$'\n'* ]] ||
      primus_fail usage "a flag for sbatch holds a line break: ${word%%$'\n'*}" "primus-cli writes flags into the batch script, where each has one line" || return
    _primus_slurm_directive word "$word"
    if [[ $word == -* || $word == \"-* ]]; then lines+=("$word"); else lines[-1]+=" $word"; fi
  done
  printf '#!/usr/bin/env bash\n'
  printf '#SBATCH %s\n' "${lines[@]}"
}

# Quotes a word for a line #SBATCH, whose rules are not those of a shell.
_primus_slurm_directive() {
  local _psd_word=$2
  if [[ -z $_psd_word || $_psd_word == *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=:,./@%+-]* ]]; then
    _psd_word=${_psd_word//\\/"\\\\"}
    _psd_word=\"${_psd_word//\"/"\\\""}\"
  fi
  printf -v "$1" '%s' "$_psd_word"
}

# What each element of an array changes.
_primus_slurm_script_overrides() {
  local line=''
  local -i i=0
  local -a overrides=()
  if ((${#_pssp_sweep[@]} == 0)); then
    printf 'overrides=()\n'
    return
  fi
  # shellcheck disable=SC2016 # for the script to expand
  printf 'case ${SLURM_ARRAY_TASK_ID-} in\n'
  for ((i = 0; i < ${#_pssp_sweep[@]}; i++)); do
    _primus_split overrides $'\x1f' "${_pssp_sweep[i]}"
    printf -v line ' %q' "${overrides[@]}"
    printf '  %d) overrides=(%s) ;;\n' "$i" "${line:1}"
  done
  printf '  *) overrides=() ;;\nesac\n'
}

# shellcheck disable=SC2016 # what stands in single quotes is for the script to expand
_primus_slurm_script_run() {
  local root='' requeues=0
  local -a step=()
  primus_root root
  _primus_slurm_step_flags step
  [[ -z ${_pssp_options["--requeue-on-preempt"]-} ]] || requeues=${_pssp_options["--max-requeues"]:-20}
  printf 'run=%q${SLURM_ARRAY_TASK_ID:+-$SLURM_ARRAY_TASK_ID}\n' "$id"
  printf 'export PRIMUS_RUN_ID=$run\n'
  printf 'record=%q/$run/slurm\n\n' "${folder%/*/slurm}"
  printf 'source %q\nsource %q\n' "$root/runner/site.sh" "$root/runner/lib/slurm.sh"
  printf 'mkdir -p -- "$record"\n'
  # From 22.05 on, a step does not inherit what its job said about this.
  printf '[[ -z ${SLURM_CPUS_PER_TASK-} ]] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK\n'
  # Three quarters of the warning time are for saving, the rest for being queued again.
  printf 'primus_slurm_batch_run "$record" %d %d \\\n' "$requeues" "$((${_pssp_options["--save-seconds"]:-120} * 3 / 4))"
  printf '  srun --export=ALL --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES"'
  printf ' %q' "${step[@]}"
  printf ' \\\n  bash %q --record "$record" --run-id "$run" --' "$root/runner/commands/slurm-entry"
  printf ' \\\n    %q' "${_pssp_command[@]}"
  printf ' ${overrides[@]+"${overrides[@]}"}\n'
}
