# shellcheck shell=bash
# The command line of apptainer and singularity, up to the image. These run as the user, with the host's
# network, limits and shared memory.

# Usage: _primus_container_apptainer_argv RESULT_ARRAY OPTIONS MOUNTS RUNTIME WORKDIR
# Status: 0; 2 for an option that they have no counterpart of.
_primus_container_apptainer_argv() {
  local -n _pcaa_result=$1 _pcaa_options=$2 _pcaa_mounts=$3
  local name='' i=0 gpus=${_pcaa_options["--gpus"]-} dev=''
  local -a pass=()
  for name in --user --device.0 --pull --name; do
    [[ -z ${_pcaa_options["$name"]-} ]] ||
      primus_fail usage "${4##*/} has no ${name%.0}" "leave it out of primus-cli container, or take another --runtime" || return
  done
  dev=$(_primus_container_dev)
  _pcaa_result=("$4" exec --cleanenv --no-home --pid --pwd "$5")
  if [[ $gpus != none ]]; then
    [[ -z $gpus && ! -e $dev/nvidiactl ]] || _pcaa_result+=(--nv)
    [[ ! -e $dev/kfd ]] || _pcaa_result+=(--rocm)
  fi
  for ((i = 0; i < ${#_pcaa_mounts[@]}; i += 2)); do
    name=--mount
    [[ ${_pcaa_mounts[i]} != volume ]] || name=--bind
    _pcaa_result+=("$name" "${_pcaa_mounts[i + 1]}")
  done
  primus_option_list pass _pcaa_options --pass
  _pcaa_result+=(${pass[@]+"${pass[@]}"})
}
