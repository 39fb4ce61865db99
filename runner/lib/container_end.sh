# shellcheck shell=bash
# How a launch in a container ended.
# shellcheck disable=SC2154 # _primus_container_run declares what is not declared here

# The client has ended with status: tells what that means.
_primus_container_ended() {
  local said=''
  if [[ ! -e $shared/status && $kind != apptainer ]]; then
    if [[ -e $shared/started ]]; then
      [[ $(_primus_container_state) != true ]] || _primus_container_stop
    else
      # It may have been made, and be about to start without anybody who waits for it.
      _primus_container_remove
    fi
  fi
  if [[ -s $shared/status ]]; then
    read -r said <"$shared/status"
    ! _primus_is_count "$said" || return "$said"
  fi
  if [[ -e $shared/started ]]; then
    ((status)) || [[ $kind == apptainer ]] ||
      primus_fail fault "the container $name ended without having told the training's status" "see the run's record, and ${runtime##*/} events" || return
    return "$status"
  fi
  if [[ -n $signal ]]; then
    primus_log error "ended by signal $signal before the container $name began"
    return "$((128 + $(kill -l "$signal")))"
  fi
  case $status in
    125 | 126 | 127)
      said="see what it says above"
      ((status != 127)) || said="the image needs bash 4.4 or newer"
      primus_fail environment "${runtime##*/} could not start the container (status $status)" "$said; primus-cli container --dry-run shows the command" || return
      ;;
  esac
  return "$status"
}

_primus_container_state() {
  "$runtime" container inspect --format '{{.State.Running}}' "$name" 2>/dev/null </dev/null
}

# The client was killed, and the container runs on: training gets its time, then the container ends.
_primus_container_stop() {
  local -i tries=0
  primus_log error "the client ${runtime##*/} was killed (status $status): the container $name is stopped"
  printf 'TERM\n' >&"$control"
  while [[ ! -e $shared/status ]] && ((tries++ < 10 * ${options["--grace"]:-10})); do sleep 0.1; done
  _primus_container_remove
  rm -f -- "$shared/status"
}

_primus_container_remove() {
  {
    "$runtime" kill "$name" || :
    "$runtime" rm --force "$name" || :
  } >/dev/null 2>&1 </dev/null
}
