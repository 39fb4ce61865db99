# shellcheck shell=bash
# The run's id and its folder.

# Usage:   primus_run_id_find RESULT NNODES [ID]
# Does:    puts into RESULT the given ID, else that of Slurm's job and step, which is the same on all nodes and
#          again after a requeue; else nothing: primus_run_dir_make then invents one.
# Streams: stderr, what is wrong.
# Status:  0; 2 when the id cannot name a folder, or when several nodes have none in common.
# Example: primus_run_id_find id 1
primus_run_id_find() {
  local _prif_id=${3-}
  if [[ -n $_prif_id ]]; then
    _primus_is_folder_name "$_prif_id" ||
      primus_fail usage "the run id \"$_prif_id\" cannot name a folder" "letters, digits, _, - and . can: correct PRIMUS_RUN_ID or --run-id for primus-cli" || return
  elif [[ ${SLURM_JOB_ID-} =~ ^[0-9]+$ ]]; then
    _prif_id=slurm-$SLURM_JOB_ID
    # Longer numbers are Slurm's own steps, such as the shell of salloc.
    [[ ! ${SLURM_STEP_ID-} =~ ^[0-9]{1,9}$ ]] || _prif_id+=.$SLURM_STEP_ID
  elif (($2 > 1)); then
    primus_fail usage "$2 nodes share one run, but have no run id in common" \
      "give primus-cli direct --run-id ID, or set PRIMUS_RUN_ID, the same on all nodes" || return
  fi
  printf -v "$1" '%s' "$_prif_id"
}

# A new id: the time, and six digits that two launches of one second hardly share.
_primus_run_id_new() {
  printf -v "$1" '%(%Y%m%d-%H%M%S)T-%06x' -1 "$(((RANDOM << 15 | RANDOM) & 0xffffff))"
}

# Usage:   primus_run_dir_make EXPERIMENT_FOLDER ID
# Does:    makes the run's folder and exports PRIMUS_RUN_ID and PRIMUS_RUN_DIR. A given ID may have a folder
#          already: that run goes on. Without ID a new one is found; mkdir is what proves it unique.
# Streams: stderr, what is wrong.
# Status:  0; 3 when the folder cannot be made.
# Example: primus_run_dir_make output/local/me/llama ''
primus_run_dir_make() {
  local folder=$1 id=$2 problem='' mkdir=mkdir
  local -i attempt=0
  _primus_tool mkdir mkdir || :
  [[ -d $folder${id:+/$id} ]] || problem=$("$mkdir" -p -- "$folder${id:+/$id}" 2>&1) || attempt=100
  while [[ -z $id ]] && ((attempt < 100)); do
    _primus_run_id_new id
    problem=$("$mkdir" -- "$folder/$id" 2>&1) || id='' attempt+=1
    [[ -n $id || -w $folder ]] || attempt=100
  done
  ((attempt < 100)) ||
    primus_fail environment "the run's folder cannot be made: ${problem##*mkdir: }" "set the experiment's workspace to a folder that primus-cli may write to" || return
  export PRIMUS_RUN_ID=$id PRIMUS_RUN_DIR=$folder/$id
}
