# shellcheck shell=bash
# Files and folders that continue what was typed.

# Prints a record "f" for each, folders with a slash at the end. KIND is any, yaml, folder or experiment: YAML files,
# those of the examples included. HEAD is what stands before the path in the same word.
# Usage: _primus_completion_files ROOT KIND HEAD TYPED
_primus_completion_files() (
  root=$1 kind=$2 head=$3 typed=$4 begin=$4 file='' example=''
  declare -a found=()
  unset GLOBIGNORE
  shopt -s nullglob globstar
  shopt -u failglob nocaseglob dotglob
  set +f
  if [[ $kind == experiment ]]; then
    for file in "$root"/examples/*/configs/**/*.yaml; do
      [[ ! $PWD -ef $root ]] || file=${file#"$root/"}
      [[ $file != "$typed"* ]] || found+=("$file")
    done
  fi
  # shellcheck disable=SC2088 # the tilde is meant as it was typed
  [[ $typed != '~/'* || -z ${HOME-} ]] || begin=$HOME/${typed#\~/}
  for file in "$begin"*; do
    case ${file##*/} in . | ..) continue ;; esac
    if [[ -d $file ]]; then
      file+=/
    else
      case $kind:$file in
        folder:*) continue ;;
        any:* | *.yaml | *.yml) ;;
        *) continue ;;
      esac
    fi
    # An example stands for the folders above it.
    for example in ${found[@]+"${found[@]}"}; do [[ $example != "$file"* ]] || continue 2; done
    # shellcheck disable=SC2088 # and so is this one
    [[ $begin == "$typed" ]] || file="~/${file#"$HOME/"}"
    printf 'f%s\0' "$head$file"
  done
  for file in ${found[@]+"${found[@]}"}; do printf 'f%s\0' "$head$file"; done
)
