# shellcheck shell=bash
# Once for many launchers: a lock on a file of a shared folder.

# Usage:   primus_lock FILE SECONDS COMMAND [ARGUMENT...]
# Does:    runs COMMAND (a program or a function, in a subshell) while holding the lock FILE, waiting up to SECONDS
#          for whoever has it. The lock is released when COMMAND ends, also by KILL, whatever it left running.
# Streams: stderr, that it waits, or what is wrong.
# Status:  that of COMMAND; 2 for a SECONDS that is no number; 3 when the lock cannot be had in time.
# Example: primus_lock "$PRIMUS_DATA_PATH/.lock" 600 build_corpus
primus_lock() {
  # COMMAND may be a function of the caller: no local may hide its variables, and under set -e it must stop at its
  # first failure, which `||` after the subshell would prevent.
  local - _pl_errexit=$-
  local _pl_file=$1 _pl_seconds=$2 _pl_fd='' _pl_flock='' _pl_mkdir=mkdir
  local -i _pl_status=0
  _primus_is_count "$_pl_seconds" ||
    primus_fail usage "primus_lock: \"$_pl_seconds\" is no whole number of seconds" "primus_lock FILE SECONDS COMMAND" || return
  _primus_tool _pl_flock flock || primus_fail environment "there is no flock on PATH" "install util-linux for primus_lock" || return
  _primus_tool _pl_mkdir mkdir || :
  [[ $_pl_file != */* ]] || "$_pl_mkdir" -p -- "${_pl_file%/*}" || return 3
  { exec {_pl_fd}>>"$_pl_file"; } 2>/dev/null ||
    primus_fail environment "the lock $_pl_file cannot be opened" "primus_lock needs a folder that it may write to" || return
  if ! "$_pl_flock" -n "$_pl_fd"; then
    primus_log info "waiting for another launcher, which holds $_pl_file"
    if ! "$_pl_flock" -w "$_pl_seconds" "$_pl_fd"; then
      exec {_pl_fd}>&-
      primus_fail environment "the lock $_pl_file was not free within $_pl_seconds s" "if no launcher runs any more, primus_lock needs $_pl_file removed"
      return
    fi
  fi
  # The subshell closes the lock, so that nothing COMMAND leaves behind can hold it.
  set +e
  (
    exec {_pl_fd}>&-
    [[ $_pl_errexit != *e* ]] || set -e
    "${@:3}"
  )
  _pl_status=$?
  exec {_pl_fd}>&-
  return "$_pl_status"
}
