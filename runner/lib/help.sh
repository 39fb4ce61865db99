# shellcheck shell=bash
# A command's help is its header comment, and so is the declaration of its options: what is not documented
# does not exist. Each option is one line of the section "Options:":
#   --flag          a flag              --name VALUE      takes a value
#   --name VALUE... may be repeated     [NAME] in the text: the environment variable that sets it as well

# Prints the header comment of a command file.
_primus_help_print() {
  local line=''
  local -a lines=()
  mapfile -t lines <"$1"
  for line in "${lines[@]:1}"; do
    [[ $line == '#'* ]] || return 0
    line=${line#'#'}
    printf '%s\n' "${line# }"
  done
}

# Prints the first line of a command's header comment: its summary.
_primus_help_summary() {
  local -a lines=()
  mapfile -t -n 2 lines <"$1"
  printf '%s\n' "${lines[1]#'# '}"
}

# Reads the options that a command file declares into two associative arrays: name to kind (flag, value, list),
# and name to environment variable (only where there is one).
_primus_help_options() {
  local -n _pho_kinds=$1 _pho_variables=$2
  local file=$3 line='' name=''
  local -a lines=()
  mapfile -t lines <"$file"
  for line in "${lines[@]:1}"; do
    [[ $line == '#'* ]] || return 0
    if [[ $line =~ ^'#   '(--[a-z][a-z-]*)(' '[A-Z][^\ ]*)?(' '|$) ]]; then
      name=${BASH_REMATCH[1]}
      case ${BASH_REMATCH[2]} in
        '') _pho_kinds["$name"]=flag ;;
        *...) _pho_kinds["$name"]=list ;;
        *) _pho_kinds["$name"]=value ;;
      esac
    fi
    if [[ -n $name && $line == '#   '* && $line =~ \[([A-Z][A-Z_]*)\]$ ]]; then
      # shellcheck disable=SC2034 # a name reference: the caller reads it
      _pho_variables["$name"]=${BASH_REMATCH[1]}
    fi
  done
}
