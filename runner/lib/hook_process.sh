# shellcheck shell=bash
# Runs one hook as a child process.

# Runs FILE with the arguments and hands each control line to _primus_protocol_take (or, for the dispatcher's
# report on an inner hook, to the list of hooks). stderr is the hook's own.
# The hook leads a process group of its own, so that it can be stopped with everything it started. Signals are
# the launcher's to handle: the processes between it and the hook ignore them.
# Status: 0, 3 or 4 as in the table of exit statuses; 128+N after primus_hooks_stop.
_primus_hook_run() {
  local file=$1 kind='' number='' text='' fd='' mark=''
  local -i status=-1 began=0 spent=0 told=0
  local -a record=() bad=()
  mark="primus-hook-$$-$RANDOM$RANDOM:"
  _primus_hook_pid=starting
  _primus_clock began
  exec {fd}< <(_primus_hook_start "$mark" "$@")
  while mapfile -t -n 1 -u "$fd" record && ((${#record[@]})); do
    text=${record[0]}
    kind=${text%%$'\t'*} text=${text#*$'\t'}
    number=${text%%$'\t'*} text=${text#*$'\t'}
    case $kind in
      pid)
        _primus_hook_pid=$text
        [[ -z $_primus_hook_signal ]] || primus_hooks_stop "$_primus_hook_signal"
        ;;
      end) status=$text ;;
      env | extra)
        ((${#bad[@]} == 0)) || continue
        _primus_protocol_check "$kind" "$text" && _primus_protocol_take "$kind" "$text" "$file" || bad=("$kind" "$text" "$file" "$number")
        ;;
      done)
        PRIMUS_HOOK_REPORT+=("$text")
        [[ $text == '0 '* ]] || told=1
        ;;
    esac
  done
  exec {fd}<&-
  _primus_hook_pid=''
  _primus_clock spent
  spent=$(((spent - began) / 1000))
  PRIMUS_HOOK_REPORT+=("$status $spent $file")
  primus_log debug "hook $file took $spent ms and exited with status $status"
  [[ -z $_primus_hook_signal ]] || return "$((128 + $(builtin kill -l "$_primus_hook_signal")))"
  ((${#bad[@]} == 0)) || _primus_protocol_refuse "${bad[@]}" || return
  ((status)) || return 0
  # The dispatcher has told which of its own hooks failed.
  ((told == 0 || (status != 3 && status != 4))) || return "$status"
  _primus_hook_failed "$file" "$status" "$spent"
}

# The seconds that a hook may take, 0 for any. The dispatcher's own hooks are limited one by one.
_primus_hook_limit() {
  local -n _phl_limit=$1
  # shellcheck disable=SC2034 # a name reference: the caller reads it
  _phl_limit=${PRIMUS_HOOK_TIMEOUT:-0}
  [[ ${2##*/} != prepare_experiment.sh ]] || _phl_limit=0
}

# What every hook finds, also when no launch but a site's script runs it.
_primus_hook_environment() {
  [[ -n ${PRIMUS_ROOT-} ]] || primus_root PRIMUS_ROOT
  # shellcheck disable=SC2154 # hooks_run.sh has found it
  [[ -n ${PRIMUS_PYTHON-} ]] || PRIMUS_PYTHON=$hook_python
  _primus_api_version PRIMUS_SHELL_API
  export PRIMUS_ROOT PRIMUS_PYTHON PRIMUS_SHELL_API
  primus_path_prepend PYTHONPATH "$PRIMUS_ROOT"
}

# Becomes the process that splits the hook's output; its child waits for the hook and marks the end.
_primus_hook_start() {
  local mark=$1 file=$2 limit=0
  local -a command=("$BASH")
  _primus_hook_environment
  [[ $file != *.py ]] || command=("$PRIMUS_PYTHON" -u)
  _primus_hook_limit limit "$file"
  set +e
  trap '' INT TERM HUP USR1 USR2
  _primus_hook_output_split "$mark" "${file##*/}" < <(
    # bash would say on stderr that a child was killed; the launcher says so itself.
    exec {errors}>&2 2>/dev/null </dev/null
    # shellcheck disable=SC2154 # hooks_run.sh has found hook_timeout
    (
      trap - INT TERM HUP USR1 USR2
      printf '%spid %s\n' "$mark" "$BASHPID"
      exec 2>&"$errors" {errors}>&- "$hook_timeout" --kill-after=10 "$limit" "${command[@]}" "$file" "${@:3}"
    )
    printf '%send %d\n' "$mark" "$?"
  )
}

# Usage:   primus_hooks_stop SIGNAL
# Does:    stops the hook that is running, with everything it started: TERM now, KILL ten seconds later. No other
#          hook is started; execute_hooks returns 128+N for SIGNAL. For a command's trap.
# Status:  0.
# Example: trap 'primus_hooks_stop TERM' TERM
primus_hooks_stop() {
  declare -g _primus_hook_signal=$1
  case ${_primus_hook_pid-} in
    '' | starting) ;;
    *) builtin kill -s TERM "$_primus_hook_pid" 2>/dev/null || : ;;
  esac
}

# Microseconds; whole seconds before bash 5.
_primus_clock() {
  local _pc_now=${EPOCHREALTIME-}
  [[ -n $_pc_now ]] || printf -v _pc_now '%(%s)T000000' -1
  printf -v "$1" '%s' "${_pc_now//[!0123456789]/}"
}
