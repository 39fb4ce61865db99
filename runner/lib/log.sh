# shellcheck shell=bash
# Messages of the launcher: one function, one stream.

# Usage:   primus_log LEVEL TEXT
# Does:    says TEXT, secrets masked. LEVEL is debug, info, warning, error, or more (a line that belongs to
#          the message before it). PRIMUS_LOG_LEVEL (default info) is the lowest level that is shown.
# Streams: stderr.
# Status:  0, also when stderr is closed or full: a message that cannot be shown must not end a training.
# Example: primus_log warning "the scratch folder is nearly full"
primus_log() {
  local - text='' label='' on='' off=''
  set +xET
  _primus_log_shown "$1" || return 0
  primus_secret_mask text "${2-}"
  case $1 in
    debug) label='DEBUG ' on=$'\e[2m' ;;
    warning) label='WARNING ' on=$'\e[33m' ;;
    error) label='ERROR ' on=$'\e[31m' ;;
  esac
  if [[ -n $on && -t 2 && -z ${NO_COLOR-} ]]; then off=$'\e[0m'; else on=''; fi
  printf '[primus] %s%s%s%s\n' "$on" "$label" "$text" "$off" >&2 2>/dev/null || :
}

_primus_log_shown() {
  local -A rank=([debug]=0 [info]=1 [warning]=2 [error]=3 [more]=3)
  local lowest=${PRIMUS_LOG_LEVEL-}
  case $lowest in debug | info | warning | error) ;; *) lowest=info ;; esac
  ((rank["$1"] >= rank["$lowest"]))
}
