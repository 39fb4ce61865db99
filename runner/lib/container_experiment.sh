# shellcheck shell=bash
# What the experiment says about folders, asked on this host where it has a Python for that.
# shellcheck disable=SC2154 # primus-cli container declares what is not declared here

# Usage: _primus_container_experiment_check PLAN INSIDE...
# Fills PLAN[writes.N] and PLAN[reads.N] from primus.container_plan, under the environment that the container will
# have. A host needs nothing but bash and a runtime: without Python, the check in the container is the first.
# Status: 0; 2 for a mistake in the experiment.
_primus_container_experiment_check() {
  local -n _pcec_plan=$1
  local root='' record=''
  local -i status=0 count=0
  local -a records=()
  shift
  while [[ $1 != -- ]]; do shift; done
  shift
  [[ ${1-} == train ]] || return 0
  if [[ -z $python ]]; then
    _primus_container_unchecked
    return 0
  fi
  primus_root root
  mapfile -d '' -t records < <(
    _primus_container_environment_enter
    exec env "PYTHONPATH=$root" "$python" -m primus.container_plan "$@" </dev/null
  )
  wait "$!" || status=$?
  case $status in
    0) ;;
    2) return 2 ;;
    *) _primus_container_unchecked && return 0 ;;
  esac
  for record in ${records[@]+"${records[@]}"}; do
    case $record in
      warning=*) primus_log warning "${record#warning=}" ;;
      *)
        _pcec_plan["${record%%=*}.$count"]=${record#*=}
        count+=1
        ;;
    esac
  done
}

_primus_container_unchecked() {
  primus_log info "this host has no Python with PyYAML: the experiment is checked in the container, and its workspace is mounted only if it lies in the working folder"
}
