# shellcheck shell=bash
# This host: tools, devices, limits, memory, disks.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

_primus_doctor_host() {
  # shellcheck disable=SC2034 # only whether there is one matters
  local vendor='' tool='' found=''
  local -i count=0
  local -a absent=()
  for tool in awk flock mkdir tee timeout; do
    _primus_tool found "$tool" || absent+=("$tool")
  done
  if ((${#absent[@]})); then
    _primus_doctor_fact host missing tools "no ${absent[*]} on PATH" "install coreutils, util-linux and mawk"
  else
    _primus_doctor_fact host ok tools 'awk, flock, mkdir, tee, timeout'
  fi
  count=$(nproc 2>/dev/null) || count=1
  _primus_doctor_fact host ok cores "$count"
  primus_accelerator_count vendor count
  if ((count)); then
    accelerators=$count
    _primus_doctor_fact host ok accelerators "$count $vendor"
    _primus_doctor_torch_sees
  elif [[ -n $vendor ]]; then
    _primus_doctor_fact host warning accelerators "$vendor devices are here, but hidden" "unset CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES"
  else
    for tool in nvidia-smi amd-smi rocm-smi; do
      type -P "$tool" >/dev/null || continue
      _primus_doctor_fact host warning accelerators "$tool is here, but lists no device" "$tool shows why; without a device, training takes the CPU"
      return 0
    done
    _primus_doctor_fact host none accelerators 'none: training takes the CPU'
  fi
}

# A torch that cannot use the devices would train on the CPU, or fail late.
_primus_doctor_torch_sees() {
  local -i i=0
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    case ${facts[i]}:${facts[i + 2]}:${facts[i + 3]} in
      python:torch:*+cpu) facts[i + 1]=warning facts[i + 3]+=', built for the CPU alone' ;;
      'python:torch import:'*'sees no device'*) facts[i + 1]=warning ;;
      *) continue ;;
    esac
    facts[i + 4]="$python -m pip install torch, from the index of this vendor's build: https://pytorch.org"
  done
}

_primus_doctor_limits() {
  local value='' hard='' size='' free=''
  value=$(ulimit -Sn) hard=$(ulimit -Hn)
  if [[ $value == unlimited ]] || ((value >= 65536)); then
    _primus_doctor_fact limits ok 'open files' "$value"
  elif [[ $hard == unlimited ]] || ((hard >= 65536)); then
    _primus_doctor_fact limits warning 'open files' "$value; large jobs want 65536" 'ulimit -n 65536'
  else
    _primus_doctor_fact limits warning 'open files' "$value, at most $hard; large jobs want 65536" 'set nofile to 65536 in /etc/security/limits.conf'
  fi
  value=$(ulimit -Sl)
  if [[ $value == unlimited ]] || ((accelerators == 0)); then
    [[ $value == unlimited ]] || value+=' KiB'
    _primus_doctor_fact limits ok 'locked memory' "$value"
  else
    _primus_doctor_fact limits warning 'locked memory' "$value KiB; devices and fast networks want it unlimited" 'set memlock to unlimited in /etc/security/limits.conf'
  fi
  value=$(ulimit -Su)
  if [[ $value == unlimited ]] || ((value >= 4096)); then
    _primus_doctor_fact limits ok processes "$value"
  else
    _primus_doctor_fact limits warning processes "$value; threads count, and each rank has dozens" 'ulimit -u 4096, or set nproc in /etc/security/limits.conf'
  fi
  if ! _primus_doctor_df size free /dev/shm; then
    _primus_doctor_fact limits warning 'shared memory' 'there is no /dev/shm' 'mount -t tmpfs tmpfs /dev/shm'
    return 0
  fi
  _primus_doctor_size value "$size"
  if ((size < 1048576)); then
    _primus_doctor_fact limits warning 'shared memory' "$value; data loaders and collectives want more" 'mount -o remount,size=16G /dev/shm; in a container give it --shm-size=16g'
  else
    _primus_doctor_fact limits ok 'shared memory' "$value"
  fi
}

# Completes the facts about the folders that a launch writes to.
_primus_doctor_storage() {
  local folder='' size='' free='' shown='' state='' remedy=''
  local -i i=0
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    [[ ${facts[i + 1]} == place ]] || continue
    folder=${facts[i + 3]} state=ok
    while [[ ! -e $folder && $folder == */* ]]; do folder=${folder%/*}; done
    folder=${folder:-/}
    remedy='set workspace in the experiment to another folder'
    [[ ${facts[i + 2]} != data ]] || remedy='set PRIMUS_DATA_PATH, or give train --data_path, to another folder'
    if [[ ! -d $folder || ! -w $folder || ! -x $folder ]]; then
      state=warning shown="$folder is no folder that can be written to"
    elif ! _primus_doctor_df size free "$folder"; then
      state=warning shown='its file system does not answer'
    else
      _primus_doctor_size shown "$free"
      shown+=' free'
      ((free >= 1048576)) || state=warning
    fi
    facts[i + 1]=$state
    facts[i + 3]+=": $shown"
    [[ $state == ok ]] || facts[i + 4]=$remedy
  done
}
