# shellcheck shell=bash
# Which container runtime is there. A client is not enough: it must answer.

# Usage: _primus_container_runtime_find RESULT KIND [NAMED ORIGIN]
# Puts into RESULT the path of the runtime, and into KIND the command line that it understands: docker, podman or
# apptainer. One that was named is taken, or is an error.
# Status: 0; 2 for a name that is none; 3 when none answers.
_primus_container_runtime_find() {
  local _pcrf_named=${3-} _pcrf_name='' _pcrf_path='' _pcrf_why=''
  local -a _pcrf_seen=()
  if [[ -n $_pcrf_named ]]; then
    case ${_pcrf_named##*/} in
      docker | podman | apptainer | singularity) ;;
      *) primus_fail usage "${4:---runtime} is \"$_pcrf_named\", which is no container runtime that primus-cli knows" "docker, podman, apptainer and singularity are; the runtime's own option goes as --pass=--runtime=$_pcrf_named" || return ;;
    esac
    _pcrf_path=$(type -P -- "$_pcrf_named") ||
      primus_fail environment "there is no $_pcrf_named on PATH (${4:---runtime})" "install it, or leave out --runtime for primus-cli container" || return
    _primus_container_answers _pcrf_why "$_pcrf_path" ||
      primus_fail environment "$_pcrf_path does not answer: $_pcrf_why" "start it, or give primus-cli container another --runtime" || return
    _pcrf_name=${_pcrf_named##*/}
  else
    for _pcrf_name in docker podman apptainer singularity ''; do
      _pcrf_path=$(type -P -- "${_pcrf_name:-/}") || continue
      ! _primus_container_answers _pcrf_why "$_pcrf_path" || break
      _pcrf_seen+=("$_pcrf_name does not answer: $_pcrf_why")
    done
    [[ -n $_pcrf_name ]] ||
      primus_fail environment "no container runtime answers${_pcrf_seen[0]+: ${_pcrf_seen[0]}${_pcrf_seen[1]+; ${_pcrf_seen[1]}}}" \
        "start the runtime, or install podman, for primus-cli container" || return
  fi
  [[ $_pcrf_name != singularity ]] || _pcrf_name=apptainer
  # Some distributions install podman under docker's name, with podman's options.
  [[ $_pcrf_name != docker || $("$_pcrf_path" --version 2>/dev/null) != podman* ]] || _pcrf_name=podman
  printf -v "$1" '%s' "$_pcrf_path"
  printf -v "$2" '%s' "$_pcrf_name"
}

# Whether a runtime answers; puts into WHY the last line that it says when it does not.
_primus_container_answers() {
  local _pca_out='' _pca_status=0
  case ${2##*/} in
    docker | podman) _pca_out=$(timeout 20 "$2" info 2>&1 >/dev/null </dev/null) || _pca_status=$? ;;
    *) _pca_out=$(timeout 20 "$2" --version 2>&1 >/dev/null </dev/null) || _pca_status=$? ;;
  esac
  ((_pca_status)) || return 0
  ((_pca_status != 124)) || _pca_out='no answer within 20 seconds'
  printf -v "$1" '%s' "${_pca_out##*$'\n'}"
  return 1
}
