# shellcheck shell=bash
# The exit statuses of the launcher, in one table, with the two lines that go with each.

# Usage:   primus_fail KIND MESSAGE [REMEDY]
# Does:    says what is wrong, and what to do about it, as the last two lines.
#          KIND is fault (1), usage (2: the command line or a configuration), environment (3: this host lacks a
#          tool, a file, an interpreter, a framework) or hook (4).
# Streams: stderr.
# Status:  that of KIND, so that a caller can write `primus_fail usage "..." "..." || return`.
# Example: primus_fail environment "there is no $tool on this host" "install $tool"
primus_fail() {
  local -A table=([fault]=1 [usage]=2 [environment]=3 [hook]=4)
  primus_log error "$2"
  [[ -z ${3-} ]] || primus_log more "$3"
  return "${table["$1"]}"
}

# Usage:   primus_status_describe RESULT STATUS
# Does:    puts into RESULT how a child ended, in words.
# Status:  0.
# Example: primus_status_describe how 137; echo "the job $how"
primus_status_describe() {
  local _psd_name=''
  if (($2 > 128)) && _psd_name=$(builtin kill -l "$(($2 - 128))" 2>/dev/null); then
    printf -v "$1" 'was killed by signal %s (status %d)' "${_psd_name#SIG}" "$2"
  else
    printf -v "$1" 'exited with status %d' "$2"
  fi
}
