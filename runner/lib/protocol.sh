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

# Carries out one control line. KIND is env or extra, TEXT what follows the dot.
# PRIMUS_EXTRA_ARGS collects the arguments; with _primus_protocol_relay set, the line is also printed, for the
# launcher above.
primus_protocol_take() {
  local kind=$1 text=$2 file=$3 number=$4 name=${2%%=*}
  local check=primus_is_identifier
  [[ $kind == env ]] || check=_primus_is_argument_name
  if [[ $text != *=* ]] || ! "$check" "$name"; then
    primus_fail hook "hook $file, line $number of its output: not a control line: $kind.$text" \
      "$kind.NAME=VALUE is one; other text must not begin with $kind. in ${file##*/}"
    return
  fi
  if [[ $kind == env ]]; then
    primus_env_apply hook "$name" "${text#*=}" "$file" || return 4
  else
    PRIMUS_EXTRA_ARGS+=("--$name" "${text#*=}")
  fi
  [[ -z ${_primus_protocol_relay-} ]] || printf '%s.%s\n' "$kind" "$text"
}
