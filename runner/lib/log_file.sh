# shellcheck shell=bash
# A copy of everything that is printed, in a file.

# Lets stdout and stderr of this process, and of what it becomes, also be appended to FILE, line by line as they
# come. tee goes on when the disk is full or the console is gone, and says so. It ignores signals, for it ends when
# the last writer does. PRIMUS_TEE_PIDS names it to the process that this one becomes, which waits for it.
# Status: 0; 3 when FILE cannot be written.
_primus_log_file_start() {
  local file=$1
  [[ $file == /* ]] || file=$PWD/$file
  { mkdir -p -- "${file%/*}" && : >>"$file"; } 2>/dev/null ||
    primus_fail environment "the log file $file cannot be written" "give primus-cli another --log-file" || return
  if [[ /dev/fd/1 -ef /dev/fd/2 ]]; then
    exec > >(_primus_log_file_tee "$file") 2>&1
    export PRIMUS_TEE_PIDS=$!
  else
    exec > >(_primus_log_file_tee "$file")
    export PRIMUS_TEE_PIDS=$!
    exec 2> >(_primus_log_file_tee "$file" >&2)
    PRIMUS_TEE_PIDS+=" $!"
  fi
}

_primus_log_file_tee() {
  trap '' INT TERM HUP USR1 USR2
  exec tee -a --output-error=warn -- "$1"
}

# For a launcher that ends without becoming the training: lets tee write what it has, for two seconds at most.
_primus_log_file_finish() {
  local pid=''
  local -i tries=0
  local -a pids=()
  _primus_split pids ' ' "${PRIMUS_TEE_PIDS-}"
  ((${#pids[@]})) || return 0
  exec >/dev/null 2>&1
  for pid in "${pids[@]}"; do
    while builtin kill -0 "$pid" 2>/dev/null && ((tries++ < 100)); do sleep 0.02; done
  done
}
