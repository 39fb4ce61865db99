# shellcheck shell=bash
# The control lines of hooks: env.NAME=value and extra.name=value, value being the rest of the line.

# Usage:   primus_hook_env NAME VALUE
# Does:    for a hook: sets NAME for the hooks that follow and for the training.
# Streams: stdout, the control line; stderr, what is wrong.
# Status:  0; 2 when NAME is no name of a variable or VALUE holds a newline.
# Example: primus_hook_env NCCL_DEBUG INFO
primus_hook_env() {
  primus_is_identifier "${1-}" ||
    primus_fail usage "primus_hook_env: \"${1-}\" is no name of a variable" "names are letters, digits and _" || return
  _primus_protocol_say env "$1" "${2-}"
}

# Usage:   primus_hook_extra NAME VALUE
# Does:    for a hook: adds --NAME VALUE to the training's arguments, before the user's own, which win.
# Streams: stdout, the control line; stderr, what is wrong.
# Status:  0; 2 when NAME is no name of an argument or VALUE holds a newline.
# Example: primus_hook_extra training.dataset_path /data/c4
primus_hook_extra() {
  _primus_is_argument_name "${1-}" ||
    primus_fail usage "primus_hook_extra: \"${1-}\" is no name of an argument" "names are letters, digits, _, - and dots" || return
  _primus_protocol_say extra "$1" "${2-}"
}

_primus_protocol_say() {
  [[ $3 != *$'\n'* ]] ||
    primus_fail usage "primus_hook_$1: the value of $2 holds a newline, which a control line cannot" "write it to a file and hand on its name" || return
  printf '%s.%s=%s\n' "$1" "$2" "$3"
}

# Whether a control line can be carried out. KIND is env or extra, TEXT what follows the dot.
_primus_protocol_check() {
  local name=${2%%=*}
  [[ $2 == *=* ]] || return 1
  case $1 in
    env) primus_is_identifier "$name" && ! _primus_env_reserved "$name" ;;
    extra) _primus_is_argument_name "$name" ;;
  esac
}

# Carries out one that can. PRIMUS_EXTRA_ARGS collects the arguments; with _primus_protocol_relay set, the line is
# also printed, for the launcher above.
_primus_protocol_take() {
  local kind=$1 text=$2 name=${2%%=*}
  case $kind in
    env) primus_env_apply hook "$name" "${text#*=}" "$3" || return 4 ;;
    extra) PRIMUS_EXTRA_ARGS+=("--$name" "${text#*=}") ;;
  esac
  [[ -z ${_primus_protocol_relay-} ]] || printf '%s.%s\n' "$kind" "$text"
}

# Says that line NUMBER of the hook FILE is none that can.
_primus_protocol_refuse() {
  local kind=$1 text=$2 file=$3 number=$4
  if [[ $kind == env && $text == *=* ]] && _primus_env_reserved "${text%%=*}"; then
    primus_fail hook "hook $file, line $number of its output, sets ${text%%=*}, which bash keeps for itself" "take another name in ${file##*/}"
    return
  fi
  primus_fail hook "hook $file, line $number of its output: not a control line: $kind.${text%%=*}" \
    "$kind.NAME=VALUE is one; other text must not begin with $kind. in ${file##*/}"
}
