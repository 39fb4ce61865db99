# shellcheck shell=bash
# Runs one hook as a child process.

# Runs FILE with the arguments and hands each control line to primus_protocol_take (or, for the dispatcher's
# report on an inner hook, to the list of hooks). stderr is the hook's own.
# The hook leads a process group of its own, so that it can be stopped with everything it started. Signals are
# the launcher's to handle: the processes between it and the hook ignore them.
# Status: 0, 3 or 4 as in the table of exit statuses; 128+N after primus_hooks_stop.
_primus_hook_run() {
  local file=$1 name=${1##*/} kind='' number='' text='' fd='' mark='' how=''
  local -i status=-1 problem=0 began=0 spent=0 told=0
  local -a record=()
  shift
  mark="primus-hook-$$-$RANDOM$RANDOM:"
  _primus_clock began
  exec {fd}< <(_primus_hook_start "$mark" "$file" "$@")
  while mapfile -t -n 1 -u "$fd" record && ((${#record[@]})); do
    IFS=$'\t' read -r kind number text <<<"${record[0]}"
    text=${record[0]#*$'\t'*$'\t'}
    case $kind in
      pid) _primus_hook_pid=$text ;;
      end) status=$text ;;
      env | extra) ((problem)) || primus_protocol_take "$kind" "$text" "$file" "$number" || problem=$? ;;
      done)
        PRIMUS_HOOK_REPORT+=("$text")
        [[ $text == '0 '* ]] || told=1
        ;;
    esac
  done
  exec {fd}<&-
  _primus_clock spent
  spent=$(((spent - began) / 1000))
  _primus_hook_pid=''
  PRIMUS_HOOK_REPORT+=("$status $spent $file")
  [[ -z ${_primus_hook_signal-} ]] || return "$((128 + $(builtin kill -l "$_primus_hook_signal")))"
  ((problem == 0)) || return 4
  primus_log debug "hook $file took $spent ms"
  ((status)) || return 0
  # The dispatcher has told which of its own hooks failed.
  ((told == 0 || (status != 3 && status != 4))) || return "$status"
  _primus_hook_failed "$file" "$status" "$spent"
}

_primus_hook_failed() {
  local file=$1 how='' kind=hook limit=${PRIMUS_HOOK_TIMEOUT:-0}
  primus_status_describe how "$2"
  if (($2 == 124 && limit > 0 && $3 >= limit * 1000)); then how="took longer than PRIMUS_HOOK_TIMEOUT, $limit s, and was stopped"; fi
  if (($2 < 0)); then how='was lost: its output ended before it did'; fi
  if (($2 == 3)); then kind=environment; fi
  primus_fail "$kind" "hook $file $how, node rank ${NODE_RANK:-0}" \
    "its last lines stand above; alone it runs with: primus-cli hooks run train ${PRIMUS_PLAN_STAGE:-pretrain} --only ${file##*/}"
}

# Becomes the process that splits the hook's output; its child waits for the hook and marks the end.
_primus_hook_start() {
  local mark=$1 file=$2
  local -a command=("$BASH")
  [[ $file != *.py ]] || command=("$PRIMUS_PYTHON" -u)
  exec </dev/null
  trap '' INT TERM HUP USR1 USR2
  {
    # bash would say on stderr that a child was killed; the launcher says so itself.
    exec {errors}>&2 2>/dev/null
    (
      trap - INT TERM HUP USR1 USR2
      printf '%spid %s\n' "$mark" "$BASHPID"
      exec 2>&"$errors" {errors}>&- timeout --kill-after=10 "${PRIMUS_HOOK_TIMEOUT:-0}" "${command[@]}" "$file" "${@:3}"
    )
    printf '%send %d\n' "$mark" "$?"
  } | _primus_hook_output_split "$mark" "${file##*/}"
}

# Usage:   primus_hooks_stop SIGNAL
# Does:    stops the hook that is running, with everything it started: SIGNAL now, KILL ten seconds later. No
#          other hook is started; execute_hooks returns 128+N. For a command's trap.
# Status:  0.
# Example: trap 'primus_hooks_stop TERM' TERM
primus_hooks_stop() {
  declare -g _primus_hook_signal=$1
  [[ -z ${_primus_hook_pid-} ]] || builtin kill -s TERM "$_primus_hook_pid" 2>/dev/null || :
}

# Microseconds; whole seconds before bash 5.
_primus_clock() {
  local _pc_now=${EPOCHREALTIME-}
  [[ -n $_pc_now ]] || printf -v _pc_now '%(%s)T000000' -1
  printf -v "$1" '%s' "${_pc_now//[!0123456789]/}"
}
