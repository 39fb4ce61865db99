# shellcheck shell=bash
# Slurm's part of a run's record: the batch script and its log, and how each node ended.

# Usage: primus_slurm_record_make RESULT FOLDER RUN_ID
# Makes the run's folder below FOLDER, the experiment's, and puts the place of Slurm's part of it into RESULT.
# Exports PRIMUS_RUN_ID.
# Status: 0; 2 when the id cannot name a folder; 3 when the folder cannot be made.
primus_slurm_record_make() {
  local _psrm_made=''
  [[ -z $3 ]] || _primus_is_folder_name "$3" ||
    primus_fail usage "the run id \"$3\" cannot name a folder" "letters, digits, _, - and . can: correct PRIMUS_RUN_ID or --run-id for primus-cli slurm" || return
  primus_run_dir_make "$2" "$3" || return
  _psrm_made=$PRIMUS_RUN_DIR/slurm
  # The nodes find their own: it may lie elsewhere under the experiment's settings there.
  unset PRIMUS_RUN_DIR
  mkdir -p -- "$_psrm_made" || primus_fail environment "the folder $_psrm_made cannot be made" "set the experiment's workspace to a folder that primus-cli may write to" || return
  printf -v "$1" '%s' "$_psrm_made"
}

# Usage: primus_slurm_record_find RESULT RUN
# Puts into RESULT Slurm's part of the record of RUN: a run's folder, its id below the workspace, or a job's number.
# Status: 0; 2 when there is none, or more than one.
primus_slurm_record_find() {
  local _psrf_run=$2 _psrf_comment='' _psrf_file=''
  local -a _psrf_found=()
  if [[ -d $_psrf_run/slurm ]]; then
    printf -v "$1" '%s' "${_psrf_run%/}/slurm"
    return 0
  fi
  if [[ $_psrf_run =~ ^[0-9]+(_[0-9]+)?$ ]]; then
    _psrf_comment=$(timeout 10 scontrol -o show job "$_psrf_run" 2>/dev/null) || _psrf_comment=''
    [[ ! $_psrf_comment =~ [[:space:]]Command=(.*)/job\.sh[[:space:]] ]] || _psrf_found=("${BASH_REMATCH[1]}")
  fi
  if ((${#_psrf_found[@]} == 0)) && { [[ $_psrf_run =~ ^[0-9]+$ ]] || _primus_is_folder_name "$_psrf_run"; }; then
    mapfile -d '' -t _psrf_found < <(_primus_slurm_record_search "$_psrf_run")
  fi
  case ${#_psrf_found[@]} in
    1) printf -v "$1" '%s' "${_psrf_found[0]}" ;;
    0) primus_fail usage "there is no record of the run or job $_psrf_run below ${PRIMUS_WORKSPACE:-./output}" "give primus-cli slurm the run's folder, its id, or the job's number; PRIMUS_WORKSPACE names another workspace" ;;
    *) primus_fail usage "${#_psrf_found[@]} runs are named $_psrf_run below ${PRIMUS_WORKSPACE:-./output}" "give primus-cli slurm the folder of one: ${_psrf_found[0]%/slurm}" ;;
  esac
}

# Prints, each with a NUL, the records below the workspace that belong to a run id or a job's number.
_primus_slurm_record_search() {
  local folder=${PRIMUS_WORKSPACE:-output} path=''
  [[ $folder == /* ]] || folder=$PWD/${folder#./}
  shopt -s nullglob
  shopt -u failglob
  set +f
  for path in "$folder"/*/*/*/"$1"/slurm "$folder"/slurm/"$1"/slurm; do
    [[ ! -d $path ]] || printf '%s\0' "$path"
  done
  [[ $1 =~ ^[0-9]+$ ]] || return 0
  for path in "$folder"/*/*/*/*/slurm/job "$folder"/slurm/*/slurm/job; do
    [[ $(<"$path") != "$1" ]] || printf '%s\0' "${path%/job}"
  done
}
