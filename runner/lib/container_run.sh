# shellcheck shell=bash
# A container from its start to its end, whatever becomes of the launcher, the runtime's client or the container.
# shellcheck disable=SC2154 # primus-cli container declares what is not declared here

# Starts it, passes signals on, waits, and returns the training's own status. Reads what primus-cli container has
# found out: argv, image, words, environment, runtime, kind, name, before, options.
# Status: the training's; 3 when the container could not be started; 128+N for signal N before it was.
_primus_container_run() {
  local folder='' shared='' client='' control='' input='' interrupted='' signal=''
  local -i status=0
  _primus_container_folder_make folder || return
  shared=$folder/shared
  # shellcheck disable=SC2064 # the folder is meant to be expanded now
  trap "rm -rf -- $(printf %q "$folder")" EXIT
  _primus_container_environment_open input "$folder" || return
  # Open for reading as well, so that nothing waits for the other end. It closes when this process is no more, however
  # that came about: then the training is stopped from inside.
  exec {control}<>"$shared/control"
  # shellcheck disable=SC2064 # the name is meant to be expanded now
  for signal in INT TERM HUP USR1 USR2; do trap "_primus_container_signal $signal" "$signal"; done
  signal=''
  [[ $kind == apptainer ]] && argv+=(--bind "$shared:/run/primus") || argv+=(--volume "$shared:/run/primus")
  words=("${words[0]}" --folder /run/primus "${words[@]:1}")
  primus_log debug "container $name by $runtime"
  # With job control the client is a process group of its own, which a terminal's Ctrl-C does not reach.
  set -m
  (
    trap - INT TERM HUP USR1 USR2 EXIT
    _primus_container_environment_restore
    exec "${argv[@]}" "${image[@]}" "${words[@]}" <&"$input" {input}<&- {control}>&-
  ) &
  client=$!
  exec {input}<&-
  while :; do
    interrupted='' status=0
    # shellcheck disable=SC2034 # _primus_container_ended reads it
    wait "$client" || status=$?
    [[ -n $interrupted ]] || break
  done 2>/dev/null
  _primus_container_ended || return
}

# The launcher's own folder: closed to others, with a part that the container may use whoever runs in it.
_primus_container_folder_make() {
  local _pcfm_folder=''
  _pcfm_folder=$(mktemp -d "${TMPDIR:-/tmp}/primus-container.$$.XXXXXX") && mkdir "$_pcfm_folder/shared" &&
    mkfifo "$_pcfm_folder/shared/control" && chmod 777 "$_pcfm_folder/shared" && chmod 666 "$_pcfm_folder/shared/control" ||
    primus_fail environment "no folder can be made in ${TMPDIR:-/tmp}" "set TMPDIR for primus-cli container to a folder on this host" || return
  printf -v "$1" '%s' "$_pcfm_folder"
}

# Writes the environment into a file that only this user may read, opens it as the descriptor RESULT for the client to
# have as its input, and removes it: values stand on no command line, in no runtime's records, and on no disk.
_primus_container_environment_open() {
  local _pceo_file=$2/environment _pceo_input=''
  (
    umask 077
    : >"$_pceo_file"
    ((${#environment[@]} == 0)) || printf '%s\0' "${environment[@]}" >"$_pceo_file"
  ) 2>/dev/null || primus_fail environment "$_pceo_file cannot be written" "set TMPDIR for primus-cli container to a folder with room" || return
  exec {_pceo_input}<"$_pceo_file"
  rm -f -- "$_pceo_file"
  printf -v "$1" '%s' "$_pceo_input"
}

# Before anything runs inside, a signal that ends also ends the client, which may be fetching an image.
_primus_container_signal() {
  interrupted=1
  printf '%s\n' "$1" >&"$control"
  case $1 in
    INT | TERM | HUP)
      signal=${signal:-$1}
      [[ -z $client || -e $shared/started ]] || kill -s "$1" "$client" 2>/dev/null || :
      ;;
  esac
}
