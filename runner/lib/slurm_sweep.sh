# shellcheck shell=bash
# One experiment for each combination of values.

# Usage: primus_slurm_sweep_read RESULT_ARRAY SPECIFICATION...
# Each SPECIFICATION is KEY=A,B,C. Puts into RESULT_ARRAY one element for each combination, the last key changing
# fastest: its overrides KEY=VALUE with the character US (0x1f) between them. Commas inside of brackets, braces and quotes separate nothing.
# Status: 0; 2 for something else.
primus_slurm_sweep_read() {
  local -n _pssr_result=$1
  local specification='' key='' value='' element=''
  local -a values=() above=()
  _pssr_result=('')
  shift
  for specification; do
    key=${specification%%=*}
    [[ $specification == *=?* ]] && _primus_is_argument_name "$key" ||
      primus_fail usage "--sweep \"$specification\" is not KEY=A,B,..." "for example: primus-cli slurm sbatch --sweep optimizer.lr=1e-3,3e-4 ..." || return
    _primus_slurm_sweep_values values "${specification#*=}"
    above=("${_pssr_result[@]}")
    _pssr_result=()
    for element in "${above[@]}"; do
      for value in "${values[@]}"; do
        _pssr_result+=("${element:+$element$'\x1f'}$key=$value")
      done
    done
  done
}

_primus_slurm_sweep_values() {
  local -n _pssv_values=$1
  local text=$2 char='' quote='' value=''
  local -i i=0 depth=0
  _pssv_values=()
  for ((i = 0; i < ${#text}; i++)); do
    char=${text:i:1}
    if [[ -n $quote ]]; then
      [[ $char != "$quote" ]] || quote=''
    else
      case $char in
        \' | \") quote=$char ;;
        '[' | '{') depth+=1 ;;
        ']' | '}') depth=$((depth - 1)) ;;
      esac
      if [[ $char == , ]] && ((depth <= 0)); then
        _pssv_values+=("$value")
        value=''
        continue
      fi
    fi
    value+=$char
  done
  _pssv_values+=("$value")
}
