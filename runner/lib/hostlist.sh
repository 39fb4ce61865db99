# shellcheck shell=bash
# Slurm's short form of many host names, without scontrol: it blocks for a minute where slurm.conf is unreadable.

# Usage:   primus_hostlist_expand RESULT_ARRAY LIST
# Does:    expands LIST, such as n[01-03,7],gpu-a, into its host names, in order.
# Status:  0; 2 when LIST cannot be read.
# Example: primus_hostlist_expand hosts "$SLURM_STEP_NODELIST" && echo "${hosts[0]}"
primus_hostlist_expand() {
  local -n _phe_result=$1
  # In a variable: bash 4.4 reads the brackets otherwise.
  local _phe_rest=$2, _phe_item='' _phe_pattern='^([^],[]*(\[[^][]+\][^],[]*)*),(.*)$'
  _phe_result=()
  while [[ -n $_phe_rest ]]; do
    if [[ $_phe_rest =~ $_phe_pattern ]]; then
      _phe_item=${BASH_REMATCH[1]} _phe_rest=${BASH_REMATCH[3]}
    else
      return 2
    fi
    [[ -z $_phe_item ]] || _primus_hostlist_item _phe_result "$_phe_item" || return 2
  done
  ((${#_phe_result[@]})) || return 2
}

# One item with any number of brackets: the first one is expanded, the rest by calling itself.
_primus_hostlist_item() {
  local -n _phi_hosts=$1
  local item=$2 prefix='' suffix='' range='' host=''
  local -i number=0 last=0
  local -a ranges=()
  if [[ $item != *'['* ]]; then
    _phi_hosts+=("$item")
    return 0
  fi
  prefix=${item%%'['*} suffix=${item#*']'}
  range=${item#*'['}
  _primus_split ranges , "${range%%']'*}"
  for range in "${ranges[@]}"; do
    [[ $range =~ ^[0-9]{1,9}(-[0-9]{1,9})?$ ]] || return 2
    last=$((10#${range#*-}))
    range=${range%-*}
    for ((number = 10#$range; number <= last; number++)); do
      printf -v host '%s%0*d%s' "$prefix" "${#range}" "$number" "$suffix"
      _primus_hostlist_item "$1" "$host" || return 2
    done
  done
}
