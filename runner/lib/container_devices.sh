# shellcheck shell=bash
# Accelerators and network devices that a container is given, where this host has them.

# Usage: _primus_container_devices RESULT_ARRAY OPTIONS KIND
# Status: 0; 3 for a device that is not there or may not be opened.
_primus_container_devices() {
  local -n _pcd_result=$1 _pcd_options=$2
  local kind=$3 device='' gpus=${_pcd_options["--gpus"]-}
  local -a wanted=()
  _pcd_result=()
  primus_option_list wanted _pcd_options --device
  for device in ${wanted[@]+"${wanted[@]}"}; do
    # vendor.com/class=name is a device of the container device interface, which the runtime looks up.
    [[ $device != /* ]] || _primus_container_device_check "${device%%:*}" "$kind" || return
    _pcd_result+=(--device "$device")
  done
  [[ $gpus != none ]] || return 0
  _primus_container_devices_nvidia
  _primus_container_devices_amd || return
  [[ ! -d $(_primus_container_dev)/infiniband ]] || _pcd_result+=(--device "$(_primus_container_dev)/infiniband")
}

# Where devices are. Tests put a folder of their own in its place.
_primus_container_dev() { printf /dev; }

_primus_container_device_check() {
  [[ -e $1 ]] ||
    primus_fail environment "there is no device $1 on this host" "correct --device of primus-cli container" || return
  # docker's daemon opens it for everybody who may talk to it.
  [[ $2 == docker || (-r $1 && -w $1) ]] ||
    primus_fail environment "you may not open the device $1" "it belongs to group $(stat -c %G -- "$1"): be added to it, then call primus-cli again"
}

_primus_container_devices_nvidia() {
  local which=$gpus
  local -a names=()
  [[ -n $which || -e $(_primus_container_dev)/nvidiactl ]] || return 0
  which=${which:-all}
  if [[ $kind == docker ]]; then
    _pcd_result+=(--gpus "$which")
    return 0
  fi
  which=${which#device=}
  # docker's count is the first so many.
  if _primus_is_count "$which" && [[ $gpus != device=* ]]; then
    mapfile -t names < <(seq 0 "$((which - 1))")
  else
    _primus_split names , "$which"
  fi
  for which in ${names[@]+"${names[@]}"}; do _pcd_result+=(--device "nvidia.com/gpu=$which"); done
}

# A container's own group database may not know the host's groups: numbers do. Without root, podman keeps the
# user's own.
_primus_container_devices_amd() {
  local dev='' node='' group=''
  local -A groups=()
  dev=$(_primus_container_dev)
  [[ -e $dev/kfd ]] || return 0
  for node in "$dev/kfd" "$dev"/dri/renderD*; do
    [[ -e $node ]] || continue
    _primus_container_device_check "$node" "$kind" || return
    group=$(stat -c %g -- "$node")
    [[ $group == 0 ]] || groups["$group"]=1
  done
  _pcd_result+=(--device "$dev/kfd")
  [[ ! -d $dev/dri ]] || _pcd_result+=(--device "$dev/dri")
  if [[ $kind == podman && $UID != 0 ]]; then
    _pcd_result+=(--group-add keep-groups)
  else
    for group in ${groups[@]+"${!groups[@]}"}; do _pcd_result+=(--group-add "$group"); done
  fi
  # The default filter of system calls keeps ROCm from binding memory to its node.
  _pcd_result+=(--security-opt seccomp=unconfined)
}
