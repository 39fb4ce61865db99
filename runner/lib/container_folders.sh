# shellcheck shell=bash
# Folders of this host that the training will want, by where they are named.

# Usage: _primus_container_folders RESULT_ARRAY PLAN INSIDE...
# Fills RESULT_ARRAY with absolute paths of what exists: the project, the working folder, those of the experiment
# (PLAN), of path options and of path variables. What the training fills is made, unless --dry-run is given.
# Status: 0; 3 when a folder cannot be made.
_primus_container_folders() {
  local -n _pcf_result=$1 _pcf_plan=$2
  local path='' name='' root=''
  local -a wanted=()
  primus_root root
  path=$(pwd -P && printf .)
  wanted=("$root" "${path%$'\n.'}")
  for name in "${!_pcf_plan[@]}"; do
    path=${_pcf_plan["$name"]}
    if [[ $name == writes.* && ! -e $path ]]; then
      _primus_container_covered wanted "$path" || _primus_container_folder_new "$path" || return
    fi
    [[ $name == writes.* ]] || path=${path%/*}
    wanted+=("$path")
  done
  _primus_container_named_folders "${@:3}"
  _pcf_result=()
  for path in "${wanted[@]}"; do
    _primus_container_folder_fits "$path" || continue
    _primus_container_covered _pcf_result "$path" || _pcf_result+=("$path")
  done
}

# Adds the values of options and variables that are paths to wanted: of a file, its folder.
_primus_container_named_folders() {
  local option='' name='' value=''
  for option in config data_path backend_path export_config venv script patch log_file; do
    _primus_container_argument value "$option" "$@"
    _primus_container_named_folder "$value"
  done
  for name in BACKEND_PATH PRIMUS_DATA_PATH PRIMUS_LOG_FILE HF_HOME HF_HUB_CACHE HF_DATASETS_CACHE TRITON_CACHE_DIR TORCHINDUCTOR_CACHE_DIR WANDB_DIR MIOPEN_USER_DB_PATH; do
    _primus_container_named_folder "${!name-}"
  done
  _primus_split value : "${PRIMUS_HOOKS_PATH-}"
  for name in ${value[@]+"${value[@]}"}; do _primus_container_named_folder "$name"; done
}

_primus_container_named_folder() {
  local path=$1
  [[ $path == /* ]] || path=$PWD/$path
  [[ -n $1 && -e $path ]] || return 0
  [[ -d $path ]] || path=${path%/*}
  path=$(CDPATH='' cd -- "${path:-/}" && printf '%s.' "$PWD") || return 0
  wanted+=("${path%.}")
}

# A folder may be mounted if that hides nothing an image lives by.
_primus_container_folder_fits() {
  case $1 in
    / | /bin | /boot | /dev | /dev/* | /etc | /etc/* | /lib | /lib64 | /opt | /proc | /proc/* | /run | /sbin | /sys | /sys/* | /usr | /usr/bin | /usr/lib | /usr/local | /var) return 1 ;;
  esac
  [[ -d $1 ]]
}

# Whether a path lies in one of the folders of the array NAME.
_primus_container_covered() {
  local -n _pcc_folders=$1
  local folder=''
  for folder in ${_pcc_folders[@]+"${_pcc_folders[@]}"}; do
    [[ $2/ != "${folder%/}"/* ]] || return 0
  done
  return 1
}

_primus_container_folder_new() {
  local problem=''
  [[ -z ${options["--dry-run"]-} ]] || return 0
  problem=$(mkdir -p -- "$1" 2>&1) ||
    primus_fail environment "the folder of the experiment cannot be made: ${problem##*mkdir: }" "set workspace or --data_path to a folder that primus-cli may write to"
}
