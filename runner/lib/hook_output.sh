# shellcheck shell=bash
# Splits what a hook prints while it prints it.

# Reads a hook's stdout on stdin and writes records to stdout: for each control line its kind (env, extra, done),
# its number and its text, separated by tabs; lines that begin with MARK as "mark" and the rest. Everything else
# goes to stderr as it is; with PRIMUS_LOG_LEVEL at warning or error only when the hook fails, the last lines.
# It ends at the mark "end", whoever else still holds the pipe.
# awk, because bash reads a pipe byte by byte; mawk waits for full blocks unless told not to.
_primus_hook_output_split() {
  # shellcheck disable=SC2154 # hooks_run.sh has found it
  local -a awk=("$hook_awk")
  [[ $hook_awk != */mawk ]] || awk+=(-W interactive)
  local quiet=0 inner=0
  [[ ${PRIMUS_LOG_LEVEL-} != warning && ${PRIMUS_LOG_LEVEL-} != error ]] || quiet=1
  [[ $2 != prepare_experiment.sh ]] || inner=1
  # gawk takes /dev/stderr for a file to be truncated under POSIXLY_CORRECT.
  unset POSIXLY_CORRECT
  # shellcheck disable=SC2016 # the program is awk's
  LC_ALL=C exec "${awk[@]}" -v mark="$1" -v quiet="$quiet" -v inner="$inner" '
    function say(text) {
      printf "%s", text "\n" > "/dev/stderr" # one write, so that other writers cannot come between
      fflush("/dev/stderr")
    }
    function relay(text) {
      if (quiet) kept[noise++ % 20] = text
      else say(text)
    }
    function record(kind, text) {
      print kind "\t" (NR - 1) "\t" text
      fflush()
    }
    function take(line) {
      if (line ~ /^env\.[^ \t]/) record("env", substr(line, 5))
      else if (line ~ /^extra\.[^ \t]/) record("extra", substr(line, 7))
      else if (inner && line ~ /^hook\.done=/) record("done", substr(line, 11))
      else relay(line)
    }
    at = index($0, mark) {
      if (at > 1) take(substr($0, 1, at - 1))
      $0 = substr($0, at + length(mark))
      if (quiet && $1 == "end" && $2 != 0)
        for (i = (noise > 20 ? noise - 20 : 0); i < noise; i++) say(kept[i % 20])
      record($1, $2)
      if ($1 == "end") exit
      next
    }
    { take($0) }'
}
