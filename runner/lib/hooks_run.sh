# shellcheck shell=bash
# Runs a list of hooks, one after the other.

# Usage: primus_hooks_run COUNT FILE... [ARGUMENT...], COUNT being the number of files.
# Status: 0; 3, 4 or 128+N as execute_hooks, at the first hook that did not succeed.
primus_hooks_run() {
  # shellcheck disable=SC2034 # hook_process.sh and hook_output.sh take these
  local hook_python='' hook_timeout='' hook_awk=''
  local file='' shown=''
  local -i status=0
  declare -ga PRIMUS_EXTRA_ARGS+=() PRIMUS_HOOK_REPORT+=()
  declare -g _primus_hook_pid='' _primus_hook_signal=${_primus_hook_signal-}
  _primus_is_count "${PRIMUS_HOOK_TIMEOUT:-0}" ||
    primus_fail usage "PRIMUS_HOOK_TIMEOUT is \"$PRIMUS_HOOK_TIMEOUT\", which is no whole number of seconds" "0 means no limit for primus-cli" || return
  [[ -n ${PRIMUS_PYTHON-} ]] || primus_python_find hook_python || return
  _primus_tool hook_timeout timeout ||
    primus_fail environment "there is no timeout on PATH" "install GNU coreutils for primus-cli" || return
  _primus_tool hook_awk mawk || _primus_tool hook_awk awk ||
    primus_fail environment "there is no awk on PATH" "install mawk or gawk for primus-cli" || return
  for file in "${@:2:$1}"; do
    [[ -z $_primus_hook_signal ]] || return "$((128 + $(builtin kill -l "$_primus_hook_signal")))"
    [[ -f $file && -r $file ]] ||
      primus_fail hook "hook $file is no readable file (or a link to nowhere)" "mend or remove ${file##*/}" || return
    shown=$file
    [[ -z ${PRIMUS_ROOT-} ]] || shown=${file#"$PRIMUS_ROOT/"}
    primus_log info "hook $shown"
    _primus_hook_run "$file" "${@:$1+2}" || status=$?
    [[ -z ${_primus_hooks_inner-} ]] || printf 'hook.done=%s\n' "${PRIMUS_HOOK_REPORT[-1]}"
    ((status == 0)) || return "$status"
  done
}

# Usage: primus_hooks_serve COMMAND [ARGUMENT...]
# For a program that is a hook itself: runs COMMAND, which runs hooks, prints their control lines for the launcher
# above, and hands signals on to the running hook.
primus_hooks_serve() {
  local name=''
  local -i status=0
  declare -g _primus_protocol_relay=1
  # shellcheck disable=SC2064 # the name is meant to be expanded now
  for name in INT TERM HUP; do trap "primus_hooks_stop $name" "$name"; done
  "$@" || status=$?
  return "$status"
}
