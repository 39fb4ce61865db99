# shellcheck shell=bash
# Which accelerators this host has, and how many of them a launch may use, without importing a framework.

# Usage:   primus_accelerator_count VENDOR COUNT
# Does:    puts into VENDOR nvidia, amd or nothing, and into COUNT the number of devices that the visible-device
#          variables let through.
# Streams: stderr, a warning when these variables contradict each other or the host.
# Status:  0.
# Example: primus_accelerator_count vendor count; echo "$count of $vendor"
primus_accelerator_count() {
  local _pac_vendor='' _pac_count=0
  _primus_nvidia_count _pac_count
  if ((_pac_count)); then
    _pac_vendor=nvidia
    _primus_visible_count _pac_count CUDA_VISIBLE_DEVICES
  else
    _primus_amd_count _pac_count
    if ((_pac_count)); then
      _pac_vendor=amd
      [[ -z ${ROCR_VISIBLE_DEVICES-} || -z ${HIP_VISIBLE_DEVICES-} ]] ||
        primus_log warning "ROCR_VISIBLE_DEVICES=$ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES=$HIP_VISIBLE_DEVICES are both set: the second counts within the first"
      _primus_visible_count _pac_count ROCR_VISIBLE_DEVICES
      # HIP reads the CUDA name where its own is not set.
      if [[ -n ${HIP_VISIBLE_DEVICES+set} ]]; then
        _primus_visible_count _pac_count HIP_VISIBLE_DEVICES
      else
        _primus_visible_count _pac_count CUDA_VISIBLE_DEVICES
      fi
    fi
  fi
  printf -v "$1" '%s' "$_pac_vendor"
  printf -v "$2" '%d' "$_pac_count"
}

# The tools are given a time limit: they hang where a driver does.
_primus_nvidia_count() {
  local -n _pnc_result=$1
  local line=''
  _pnc_result=0
  if type -P nvidia-smi >/dev/null; then
    while read -r line; do
      [[ $line != 'GPU '*:* ]] || _pnc_result=$((_pnc_result + 1))
    done < <(timeout 20 nvidia-smi -L 2>/dev/null </dev/null)
  elif [[ -e /dev/nvidiactl ]]; then
    _pnc_result=$(shopt -s nullglob && set +f -- /dev/nvidia[0-9]* && printf '%d' $#)
  fi
}

_primus_amd_count() {
  local -n _pamc_result=$1
  local line=''
  local -A seen=()
  _pamc_result=0
  if type -P amd-smi >/dev/null; then
    while read -r line; do
      [[ ! $line =~ ^GPU:\ *([0-9]+)$ ]] || seen[${BASH_REMATCH[1]}]=1
    done < <(timeout 20 amd-smi list 2>/dev/null </dev/null)
  elif type -P rocm-smi >/dev/null; then
    while read -r line; do
      [[ ! $line =~ ^GPU\[([0-9]+)\] ]] || seen[${BASH_REMATCH[1]}]=1
    done < <(timeout 20 rocm-smi --showid 2>/dev/null </dev/null)
  elif [[ -e /dev/kfd ]]; then
    while read -r line; do
      [[ $line == 0 ]] || seen[$line]=1
    done < <(shopt -s nullglob && set +f && cat /dev/null /sys/class/kfd/kfd/topology/nodes/*/gpu_id 2>/dev/null)
  fi
  _pamc_result=${#seen[@]}
}

# Counts within RESULT devices those that the list in the variable NAME lets through. Like the drivers, it stops
# at the first entry that names no device; an empty list means none.
_primus_visible_count() {
  local -n _pvc_result=$1
  local name=$2 list='' entry=''
  local -i count=0
  local -a entries=()
  [[ -n ${!name+set} ]] || return 0
  list=${!name}
  _primus_split entries , "$list"
  for entry in ${entries[@]+"${entries[@]}"}; do
    entry=${entry//[[:space:]]/}
    case $entry in
      GPU-* | MIG-*) ;;
      *)
        _primus_is_count "$entry" || break
        if ((entry >= _pvc_result)); then
          primus_log warning "$name=$list names device $entry, but there are only $_pvc_result"
          break
        fi
        ;;
    esac
    count+=1
  done
  _pvc_result=$count
}
