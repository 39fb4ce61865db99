# shellcheck shell=bash
# Which hooks there are, and in which order they run.

# Usage:   primus_hooks_list RESULT_ARRAY [GROUP NAME]
# Does:    puts into RESULT_ARRAY the hook files of the command GROUP NAME in the order in which they run: global
#          hooks, then the command's, *.sh and *.py, by name. Folders of PRIMUS_HOOKS_PATH (separated by colons,
#          with the same structure) are merged in by name; ours come first on a tie.
# Streams: stderr, what is wrong.
# Status:  0; 2 when GROUP or NAME cannot be one.
# Example: primus_hooks_list files train pretrain; printf '%s\n' "${files[@]}"
primus_hooks_list() {
  local -n _phl_result=$1
  local -a _phl_level=()
  _phl_result=()
  _primus_hooks_level _phl_level '' '*.sh' '*.py'
  _phl_result+=(${_phl_level[@]+"${_phl_level[@]}"})
  (($# > 1)) || return 0
  _primus_is_folder_name "${2-}" && _primus_is_folder_name "${3-}" ||
    primus_fail usage "there are no hooks for \"${2-} ${3-}\"" "a group and a name, such as: execute_hooks train pretrain" || return
  _primus_hooks_level _phl_level "$2/$3" '*.sh' '*.py'
  _phl_result+=(${_phl_level[@]+"${_phl_level[@]}"})
}

# Usage:   primus_hooks_list_framework RESULT_ARRAY STAGE FRAMEWORK
# Does:    the same for the hooks that prepare_experiment.sh runs: the framework's *.sh by name, then prepare.py.
# Streams: stderr, what is wrong.
# Status:  0; 2 when STAGE or FRAMEWORK cannot be one.
# Example: primus_hooks_list_framework files pretrain torchtitan
primus_hooks_list_framework() {
  local -n _phlf_result=$1
  local -a _phlf_level=()
  _phlf_result=()
  _primus_is_folder_name "${2-}" && _primus_is_folder_name "${3-}" ||
    primus_fail usage "there are no hooks of a framework \"${3-}\" for \"train ${2-}\"" "see primus-cli hooks list train pretrain" || return
  _primus_hooks_level _phlf_level "train/$2/$3" '*.sh'
  _phlf_result+=(${_phlf_level[@]+"${_phlf_level[@]}"})
  _primus_hooks_level _phlf_level "train/$2/$3" prepare.py
  _phlf_result+=(${_phlf_level[@]+"${_phlf_level[@]}"})
}

# The folders that hold hooks, ours first.
_primus_hooks_roots() {
  local -n _phr_result=$1
  local root='' folder=''
  local -a folders=()
  primus_root root
  _phr_result=("$root/runner/helpers/hooks")
  _primus_split folders : "${PRIMUS_HOOKS_PATH-}"
  for folder in ${folders[@]+"${folders[@]}"}; do
    [[ -z $folder ]] || _phr_result+=("$folder")
  done
}

# Collects the files of one level, whose names match one of the patterns, from all roots.
_primus_hooks_level() {
  local -n _phv_result=$1
  local -a roots=()
  _primus_hooks_roots roots
  # Globbing and byte order hang on settings that belong to the caller: they are made in a process of its own.
  mapfile -d '' -t _phv_result < <(_primus_hooks_sorted "$2" "${@:3}" -- "${roots[@]}")
}

_primus_hooks_sorted() {
  local folder=$1 root='' file='' pattern=''
  local -i i=0
  local -a patterns=() files=()
  unset GLOBIGNORE GLOBSORT
  LC_ALL=C
  shopt -s nullglob
  shopt -u failglob dotglob nocaseglob
  set +f
  IFS=
  shift
  while [[ $1 != -- ]]; do patterns+=("$1") && shift; done
  for root in "${@:2}"; do
    for pattern in "${patterns[@]}"; do
      # shellcheck disable=SC2231 # the pattern is meant to be one
      for file in "$root${folder:+/$folder}"/$pattern; do
        [[ ! -d $file && (-e $file || -L $file) ]] || continue
        # Equal names keep the order of their roots.
        for ((i = ${#files[@]}; i > 0; i--)); do
          [[ ${files[i - 1]##*/} > ${file##*/} ]] || break
          files[i]=${files[i - 1]}
        done
        files[i]=$file
      done
    done
  done
  ((${#files[@]} == 0)) || printf '%s\0' "${files[@]}"
}
