# shellcheck shell=bash
# Removes what launches left behind.

# Usage: _primus_container_clean RUNTIME KIND [DRY_RUN]
# Removes the stopped containers that carry this product's label and this user's. One that was only created may be
# about to start for another launch, and stays. Removes as well the folders of launchers that were killed.
# Status: 0; 3 when one cannot be removed.
_primus_container_clean() {
  local id='' status=''
  local -a ids=()
  _primus_container_clean_folders "${3-}"
  if [[ $2 == apptainer ]]; then
    primus_log info "${1##*/} keeps no stopped containers: there is nothing to clean"
    return 0
  fi
  for status in exited dead; do
    # podman knows no "dead".
    while read -r id; do
      ids+=("$id")
    done < <("$1" ps --all --quiet --no-trunc --filter label=primus.launcher --filter "label=primus.launcher.user=$UID" --filter "status=$status" 2>/dev/null </dev/null)
  done
  for id in ${ids[@]+"${ids[@]}"}; do
    if [[ -n ${3-} ]]; then
      printf '%q rm %s\n' "$1" "$id"
      continue
    fi
    "$1" rm "$id" >/dev/null </dev/null ||
      primus_fail environment "the container $id cannot be removed" "see ${1##*/} ps --all; then primus-cli container --clean again" || return
  done
  [[ -n ${3-} ]] || primus_log info "${#ids[@]} stopped containers removed"
}

# The name of such a folder holds the launcher's process id.
_primus_container_clean_folders() {
  local folder='' pid=''
  while IFS= read -r -d '' folder; do
    pid=${folder##*/primus-container.}
    pid=${pid%%.*}
    if [[ ! -O $folder ]] || ! _primus_is_count "$pid" || [[ -e /proc/$pid ]]; then continue; fi
    if [[ -n $1 ]]; then printf 'rm -rf %q\n' "$folder"; else rm -rf -- "$folder"; fi
  done < <(shopt -s nullglob && set +f -- "${TMPDIR:-/tmp}"/primus-container.* && (($# == 0)) || printf '%s\0' "$@")
}
