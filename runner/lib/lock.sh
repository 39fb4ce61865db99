# shellcheck shell=bash
# Once for many launchers: a lock on a file of a shared folder.

# Usage:   primus_lock FILE SECONDS COMMAND [ARGUMENT...]
# Does:    runs COMMAND (a program or a function, in a subshell) while holding the lock FILE, waiting up to SECONDS
#          for whoever has it. The lock is released when COMMAND ends, also by KILL, whatever it left running.
# Streams: stderr, that it waits, or what is wrong.
# Status:  that of COMMAND; 2 for a SECONDS that is no number; 3 when the lock cannot be had in time.
# Example: primus_lock "$PRIMUS_DATA_PATH/.lock" 600 build_corpus
primus_lock() {
  local file=$1 seconds=$2 fd='' flock='' mkdir=mkdir
  local -i status=0
  _primus_is_count "$seconds" ||
    primus_fail usage "primus_lock: \"$seconds\" is no whole number of seconds" "primus_lock FILE SECONDS COMMAND" || return
  _primus_tool flock flock || primus_fail environment "there is no flock on PATH" "install util-linux for primus_lock" || return
  _primus_tool mkdir mkdir || :
  [[ $file != */* ]] || "$mkdir" -p -- "${file%/*}" || return 3
  { exec {fd}>>"$file"; } 2>/dev/null ||
    primus_fail environment "the lock $file cannot be opened" "primus_lock needs a folder that it may write to" || return
  if ! "$flock" -n "$fd"; then
    primus_log info "waiting for another launcher, which holds $file"
    if ! "$flock" -w "$seconds" "$fd"; then
      exec {fd}>&-
      primus_fail environment "the lock $file was not free within $seconds s" "if no launcher runs any more, primus_lock needs $file removed"
      return
    fi
  fi
  # The subshell closes the lock, so that nothing COMMAND leaves behind can hold it.
  (
    exec {fd}>&-
    "${@:3}"
  ) || status=$?
  exec {fd}>&-
  return "$status"
}
