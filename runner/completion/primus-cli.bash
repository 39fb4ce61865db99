# shellcheck shell=bash
# Completes primus-cli in bash: source <(primus-cli completion bash)

_primus_cli() {
  local - raw='' head='' record='' files=''
  local -i i=0 glue=0
  local -a words=() records=()
  set +eux
  # bash cuts words at = and :, and replaces only what follows the last of them.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    raw=${COMP_WORDS[i]}
    if [[ $raw =~ ^[=:]+$ ]] && ((${#words[@]})); then
      words[-1]+=$raw glue=1
    elif ((glue)) && [[ -n $raw ]]; then
      head=${words[-1]} glue=0
      words[-1]+=$raw
    else
      head='' glue=0
      words+=("$raw")
    fi
  done
  ((glue == 0)) || head=${words[-1]}
  # shellcheck disable=SC2154 # it stands above this text, where primus-cli prints it
  mapfile -d '' -t records < <("$_primus_cli_launcher" completion words "${words[@]}" </dev/null 2>/dev/null)
  COMPREPLY=()
  for record in "${records[@]}"; do
    case $record in
      f*) record=${record%/} && COMPREPLY+=("${record:1+${#head}}") files=1 ;;
      w*) record=${record%%$'\t'*} && COMPREPLY+=("${record:1+${#head}} ") ;;
      p*) record=${record%%$'\t'*} && COMPREPLY+=("${record:1+${#head}}") ;;
    esac
  done
  if [[ -n $files ]]; then compopt -o filenames; else compopt -o nospace; fi 2>/dev/null || :
}

complete -F _primus_cli primus-cli
