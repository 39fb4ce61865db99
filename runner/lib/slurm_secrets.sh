# shellcheck shell=bash
# Secrets that options name, on their way to the nodes: neither a command line nor a batch script holds them.

# Usage: primus_slurm_secrets_find NAMES OPTIONS_ARRAY
# Replaces in OPTIONS_ARRAY each --env NAME=VALUE whose name looks secret by --env NAME, exports NAME=VALUE, and
# puts the names into NAMES.
primus_slurm_secrets_find() {
  local -n _pssf_names=$1 _pssf_options=$2
  local -i i=0
  local word='' head=''
  for ((i = 0; i < ${#_pssf_options[@]}; i++)); do
    word=${_pssf_options[i]} head=''
    case $word in
      --env=*=*) head=--env= word=${word#--env=} ;;
      *=*) ((i > 0)) && [[ ${_pssf_options[i - 1]} == --env || ${_pssf_options[i - 1]} == -e ]] || continue ;;
      *) continue ;;
    esac
    primus_is_identifier "${word%%=*}" || continue
    _primus_secret_name "${word%%=*}" || continue
    export "${word?}"
    _pssf_names+=("${word%%=*}")
    _pssf_options[i]=$head${word%%=*}
  done
}

# Usage: primus_slurm_secrets_write FOLDERS_ARRAY [NAME...]
# Writes the variables into a file of each folder that nobody else can read, and takes them out of the environment.
# Status: 0; 3.
primus_slurm_secrets_write() {
  local -n _pssw_folders=$1
  local - folder='' name='' mask=''
  shift
  (($#)) || return 0
  set +xET
  mask=$(umask)
  umask 077
  for folder in "${_pssw_folders[@]}"; do
    mkdir -p -- "$folder" && for name; do printf '%s=%s\0' "$name" "${!name}"; done >"$folder/private" ||
      primus_fail environment "the file $folder/private cannot be written" "free some space, or set another workspace" || return
  done
  umask "$mask"
  unset "$@"
}

# Usage: primus_slurm_secrets_read FOLDER
# Exports what primus_slurm_secrets_write wrote, if anything.
primus_slurm_secrets_read() {
  local - item=''
  local -a items=()
  set +xET
  [[ -f $1/private && -O $1/private ]] || return 0
  mapfile -d '' -t items <"$1/private"
  for item in ${items[@]+"${items[@]}"}; do export "${item?}"; done
}

# Usage: primus_slurm_secrets_remove FOLDER
primus_slurm_secrets_remove() {
  rm -f -- "$1/private"
}
