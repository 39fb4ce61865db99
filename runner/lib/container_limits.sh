# shellcheck shell=bash
# Limits of a container that training would run into: open files, processes, locked and shared memory.

# Usage: _primus_container_limits RESULT_ARRAY WORD...
# The words are what the user passes to the runtime: what stands there is not set again. --ulimit on a command line
# replaces the whole list in podman's configuration, so that each limit is named. A runtime may not go beyond the
# hard limits of this process.
_primus_container_limits() {
  local -n _pcl_result=$1
  local words=" ${*:2} " name='' hard='' size=''
  local -A flags=([nofile]=-n [nproc]=-u [memlock]=-l [stack]=-s)
  _pcl_result=()
  for name in nofile nproc memlock stack; do
    [[ ! $words =~ \ --ulimit[=\ ]$name= ]] || continue
    hard=$(ulimit -H "${flags["$name"]}")
    _primus_container_limit hard "$name" "$hard" || continue
    _pcl_result+=(--ulimit "$name=$hard:$hard")
  done
  [[ $words =~ \ --pids-limit[=\ ] ]] || _pcl_result+=(--pids-limit=-1)
  [[ ! $words =~ \ --(ipc|shm-size)[=\ ] ]] || return 0
  size=$(df -k --output=size /dev/shm 2>/dev/null) || return 0
  [[ ! ${size##*$'\n'} =~ ([0-9]+) ]] || _pcl_result+=("--shm-size=${BASH_REMATCH[1]}k")
}

# Puts into RESULT the value of a limit in the runtime's units.
# Status: 0; 1 for one that is better not set.
_primus_container_limit() {
  local _pcl_value=$3 _pcl_most=0
  case $2:$_pcl_value in
    # The kernel takes no greater number of files than this unless told to.
    nofile:unlimited) _pcl_value=1048576 ;;
    memlock:unlimited) _pcl_value=-1 ;;
    # An unlimited stack changes how the kernel lays out memory.
    stack:unlimited | stack:?*) _pcl_value=67108864 && [[ $3 == unlimited ]] || return 1 ;;
    nproc:unlimited) return 1 ;;
    memlock:*) _pcl_value=$((_pcl_value * 1024)) ;;
    nproc:*)
      [[ ! -r /proc/sys/kernel/pid_max ]] || read -r _pcl_most </proc/sys/kernel/pid_max
      ((_pcl_most == 0 || _pcl_value <= _pcl_most)) || _pcl_value=$_pcl_most
      ;;
  esac
  if [[ $2 == nofile ]] && ((_pcl_value < 65536)); then
    primus_log warning "at most $_pcl_value files can be open at once (ulimit -Hn); large jobs want 65536"
  fi
  printf -v "$1" '%s' "$_pcl_value"
}
