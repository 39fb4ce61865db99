# shellcheck shell=bash
# The known name that is nearest to a mistyped one.

# Usage:   primus_suggest RESULT WORD CANDIDATE...
# Does:    puts into RESULT the candidate at the smallest edit distance from WORD; empty when none is near.
# Status:  0.
# Example: primus_suggest nearest "$word" start stop; echo "did you mean $nearest?"
primus_suggest() {
  local -n _ps_result=$1
  local _ps_word=$2 _ps_candidate='' _ps_distance=0 _ps_best=$((${#2} / 3 + 1))
  shift 2
  _ps_result=''
  for _ps_candidate; do
    _primus_edit_distance _ps_distance "$_ps_word" "$_ps_candidate"
    if ((_ps_distance < _ps_best || (_ps_distance == _ps_best && ${#_ps_result} == 0))); then
      _ps_best=$_ps_distance _ps_result=$_ps_candidate
    fi
  done
}

# Levenshtein's distance, one row at a time.
_primus_edit_distance() {
  local -n _ped_result=$1
  local a=$2 b=$3
  local -i i=0 j=0 diagonal=0 above=0 cost=0
  local -a row=()
  for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    diagonal=${row[0]} row[0]=$i
    for ((j = 1; j <= ${#b}; j++)); do
      above=${row[j]} cost=$diagonal
      [[ ${a:i-1:1} == "${b:j-1:1}" ]] || cost=$((diagonal + 1))
      ((cost <= above + 1)) || cost=$((above + 1))
      ((cost <= row[j - 1] + 1)) || cost=$((row[j - 1] + 1))
      row[j]=$cost diagonal=$above
    done
  done
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _ped_result=${row[${#b}]}
}
