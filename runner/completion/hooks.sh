# shellcheck shell=bash
# Names of hooks, and of the commands that have any.

# Prints the names of the folders that hold hooks: groups, or with GROUP the names in it.
_primus_completion_hook_folders() {
  local -a roots=()
  _primus_hooks_roots roots
  (
    unset GLOBIGNORE
    shopt -s nullglob
    set +f
    for root in "${roots[@]}"; do
      for folder in "$root${1:+/$1}"/*/; do
        folder=${folder%/}
        printf '%s\n' "${folder##*/}"
      done
    done | LC_ALL=C sort -u
  )
}

# Prints the file names of the hooks of GROUP NAME, those of its frameworks included, or only of FRAMEWORK.
_primus_completion_hook_names() {
  local framework=''
  local -a files=() inner=() frameworks=()
  primus_hooks_list files "$1" "$2" || return 0
  if [[ -n ${3-} ]]; then
    frameworks=("$3")
  else
    mapfile -t frameworks < <(_primus_completion_hook_folders "$1/$2")
  fi
  for framework in ${frameworks[@]+"${frameworks[@]}"}; do
    primus_hooks_list_framework inner "$2" "$framework" || continue
    files+=(${inner[@]+"${inner[@]}"})
  done
  ((${#files[@]} == 0)) || printf '%s\n' "${files[@]##*/}" | LC_ALL=C sort -u
}
