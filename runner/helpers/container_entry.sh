#!/usr/bin/env bash
# The first process in a container: starts primus-cli direct there, and stands between it and the launcher outside.
#
# Usage: bash container_entry.sh [--folder DIR] [--grace SECONDS] [--percent] -- [argument of direct ...]
#
# Stdin holds NUL-separated NAME=VALUE, which becomes the environment. DIR is a folder shared with the launcher:
#   control   a pipe; each line is a signal for the training, its end tells that the launcher is gone
#   started   made when this begins
#   status    the training's exit status, at the end
# With --percent, %XX in the arguments stands for one byte.
#
# Exit status: the training's own; 128+N when signal N came before it began
set -euo pipefail

main() {
  local folder='' grace=10 percent='' word='' root='' child='' watcher='' interrupted=''
  local -a arguments=()
  local -A last=()
  while [[ $1 != -- ]]; do
    case $1 in
      --folder) folder=$2 && shift ;;
      --grace) grace=$2 && shift ;;
      --percent) percent=1 ;;
    esac
    shift
  done
  shift
  # shellcheck disable=SC2064 # the name is meant to be expanded now
  for word in INT TERM HUP USR1 USR2; do trap "pass_on $word" "$word"; done
  [[ -z $folder ]] || : >"$folder/started"
  read_environment
  for word; do
    [[ -z $percent ]] || decode word "$word"
    arguments+=("$word")
  done
  root=${BASH_SOURCE[0]%/runner/helpers/*}
  choose_interpreter "$root" ${arguments[@]+"${arguments[@]}"}
  # With job control, the training does not ignore INT, as other background commands do, and is a group of its own.
  set -m
  "$BASH" "$root/primus-cli" direct ${arguments[@]+"${arguments[@]}"} </dev/null &
  child=$!
  watch_launcher &
  watcher=$!
  await_child
}

read_environment() {
  local entry=''
  local -a entries=()
  mapfile -d '' -t entries
  exec </dev/null
  for entry in ${entries[@]+"${entries[@]}"}; do
    [[ $entry != [ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_]*=* ]] || export "${entry?}"
  done
}

decode() {
  local -n _d_result=$1
  local LC_ALL=C rest=$2 byte=''
  _d_result=''
  while [[ $rest == *%* ]]; do
    _d_result+=${rest%%'%'*}
    rest=${rest#*'%'}
    printf -v byte '%b' "\\x${rest:0:2}"
    _d_result+=$byte rest=${rest:2}
  done
  _d_result+=$rest
}

# The image's own Python, when it has what trainings are made of; else the project's .venv, when that works in here:
# a .venv made for the host could otherwise put its torch in the place of the image's.
choose_interpreter() {
  local root=$1 word='' python=''
  [[ -z ${PRIMUS_PYTHON-} && -z ${VIRTUAL_ENV-} && -z ${CONDA_PREFIX-} ]] || return 0
  for word in "${@:2}"; do
    case $word in
      --) break ;;
      --venv=*) return 0 ;;
    esac
  done
  python=$(type -P python3 || type -P python) || python=''
  if [[ -n $python ]] && "$python" -c 'import sys; from importlib.util import find_spec as f; sys.exit(not any(map(f, ("torch", "jax"))))' 2>/dev/null; then
    export PRIMUS_PYTHON=$python
  elif [[ -x $root/.venv/bin/python ]] && "$root/.venv/bin/python" -c 'import yaml, packaging' 2>/dev/null; then
    export PRIMUS_PYTHON=$root/.venv/bin/python
  elif [[ -n $python ]]; then
    export PRIMUS_PYTHON=$python
  fi
}

# One signal may arrive twice, from the launcher and through the runtime's client: within a second it counts once.
# shellcheck disable=SC2329 # traps call it
pass_on() {
  local -i now=$SECONDS
  interrupted=1
  [[ -n $child ]] || finish "$((128 + $(kill -l "$1")))"
  ((now - ${last["$1"]:--9} > 1)) || return 0
  last["$1"]=$now
  kill -s "$1" "$child" 2>/dev/null || :
}

# The launcher holds the other end of the pipe open as long as it lives. Opening it both ways first keeps this from
# waiting for a launcher that is gone already.
watch_launcher() {
  local word=''
  trap - INT TERM HUP USR1 USR2
  [[ -p $folder/control ]] || return 0
  exec {both}<>"$folder/control"
  exec {control}<"$folder/control" {both}>&-
  while read -r -u "$control" word; do
    case $word in INT | TERM | HUP | USR1 | USR2) kill -s "$word" "$$" ;; esac
  done
  printf '[primus] ERROR the launcher outside the container is gone: the training is stopped\n' >&2 || :
  kill -s TERM "$$"
  sleep "$grace"
  kill -s KILL -- "-$child"
}

await_child() {
  local -i status=0
  while :; do
    interrupted='' status=0
    wait "$child" || status=$?
    [[ -n $interrupted ]] || break
  done 2>/dev/null
  finish "$status"
}

finish() {
  trap '' INT TERM HUP USR1 USR2
  if [[ -n $folder ]]; then printf '%d\n' "$1" >"$folder/status.new" && mv -f "$folder/status.new" "$folder/status"; fi
  # Without a process namespace of its own, the watcher would outlive this.
  [[ -z $watcher ]] || kill -s KILL -- "-$watcher" 2>/dev/null || :
  exit "$1"
}

main "$@"
