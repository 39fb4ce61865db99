# shellcheck shell=bash
# The flags for Slurm, lowest layer first: what every launch needs, the launcher's configuration, the command line.

# One launcher a node, whatever the job's own tasks are; a node that failed ends the others at once.
_primus_slurm_step_flags() {
  local -n _pssf_flags=$1
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _pssf_flags=(--ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60)
}

# What a batch job has besides. FOLDER is Slurm's part of the record, NAME the job's name.
_primus_slurm_batch_flags() {
  local -n _psbf_flags=$1 _psbf_options=$2
  local folder=${3//%/%%} name=$4 log=job-%j.out
  [[ -z ${_psbf_options["--sweep.count"]-} ]] || log=job-%A_%a.out
  _psbf_flags=(--job-name="$name" --output="$folder/$log" --open-mode=append --chdir="$PWD" --ntasks-per-node=1)
  _psbf_flags+=(--signal="B:USR2@${_psbf_options["--save-seconds"]:-120}")
  [[ -z ${_psbf_options["--requeue-on-preempt"]-} ]] || _psbf_flags+=(--requeue)
}

# Usage: primus_slurm_flags_default RESULT_ARRAY OPTIONS
# Appends what the section slurm: of the launcher's configuration says about Slurm's own flags.
primus_slurm_flags_default() {
  local -n _psfd_flags=$1
  local item=''
  local -a items=()
  primus_option_list items "$2" --slurm-option
  for item in ${items[@]+"${items[@]}"}; do _psfd_flags+=("--${item#--}"); done
}

# Usage: primus_slurm_counts NNODES NPROC OPTIONS_ARRAY [FLAG...]
# Puts into NNODES how many nodes the flags ask for and into NPROC how many ranks a node will have; 0 where only the
# nodes will know.
primus_slurm_counts() {
  local _psco_value='' _psco_word='' _psco_last=''
  local -n _psco_options=$3
  printf -v "$1" 0
  printf -v "$2" 0
  if primus_slurm_flag_find _psco_value nodes N "${@:4}" || _psco_value=${SLURM_JOB_NUM_NODES-}; then
    [[ ! $_psco_value =~ ^([0-9]+)(-([0-9]+))?$ ]] || printf -v "$1" '%d' "$((10#${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}))"
  fi
  for _psco_word in ${_psco_options[@]+"${_psco_options[@]}"} ''; do
    [[ $_psco_last != --nproc ]] || _psco_value=$_psco_word
    [[ $_psco_word != --nproc=* ]] || _psco_last=--nproc _psco_value=${_psco_word#--nproc=}
    if [[ $_psco_last == --nproc ]]; then
      ! _primus_is_count "$_psco_value" || printf -v "$2" '%d' "$_psco_value"
      return 0
    fi
    _psco_last=$_psco_word
  done
  if primus_slurm_flag_find _psco_value gpus-per-node '' "${@:4}"; then
    _psco_value=${_psco_value##*:}
  else
    _psco_value=${GPUS_PER_NODE-}
  fi
  ! _primus_is_count "$_psco_value" || printf -v "$2" '%d' "$_psco_value"
}
