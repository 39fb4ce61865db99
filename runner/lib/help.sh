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
# and name to environment variable (only where there is one). The file last read is remembered.
_primus_help_options() {
  local -n _pho_kinds=$1 _pho_variables=$2
  local name=''
  [[ ${_primus_help_file-} == "$3" ]] || _primus_help_read "$3"
  for name in ${_primus_help_kinds[@]+"${!_primus_help_kinds[@]}"}; do _pho_kinds["$name"]=${_primus_help_kinds["$name"]}; done
  for name in ${_primus_help_variables[@]+"${!_primus_help_variables[@]}"}; do
    # shellcheck disable=SC2034 # a name reference: the caller reads it
    _pho_variables["$name"]=${_primus_help_variables["$name"]}
  done
}

_primus_help_read() {
  local line='' name=''
  local -a lines=()
  unset _primus_help_kinds _primus_help_variables
  declare -gA _primus_help_kinds=() _primus_help_variables=()
  declare -g _primus_help_file=$1
  mapfile -t lines <"$1"
  for line in "${lines[@]:1}"; do
    [[ $line == '#'* ]] || return 0
    if [[ $line =~ ^'#   '(--[a-z][a-z-]*)(' '[A-Z][^\ ]*)?(' '|$) ]]; then
      name=${BASH_REMATCH[1]}
      case ${BASH_REMATCH[2]} in
        '') _primus_help_kinds["$name"]=flag ;;
        *...) _primus_help_kinds["$name"]=list ;;
        *) _primus_help_kinds["$name"]=value ;;
      esac
    fi
    if [[ -n $name && $line == '#   '* && $line =~ \[([A-Z][A-Z_]*)\]$ ]]; then
      _primus_help_variables["$name"]=${BASH_REMATCH[1]}
    fi
  done
}
