# shellcheck shell=bash
# Where the ranks of several nodes meet.

# Completes master_addr and master_port of the associative array DIST (see primus_dist_resolve).
primus_rendezvous_resolve() {
  local -n _prr=$1
  ((${_prr[master_port]:-0} <= 65535)) ||
    primus_fail usage "${_prr["master_port.origin"]} is ${_prr[master_port]}, but ports end at 65535" "correct ${_prr["master_port.origin"]} for primus-cli" || return
  if [[ ${_prr[nnodes]} == 1 ]]; then
    [[ -z ${_prr[master_port]} || -n ${_prr[master_addr]} ]] || _prr["master_addr"]=127.0.0.1 _prr["master_addr.origin"]='the default'
  else
    _primus_rendezvous_address || return
    _primus_rendezvous_port || return
  fi
  [[ ${_prr[node_rank]} == 0 && -n ${_prr[master_port]} ]] || return 0
  [[ ${_prr[nnodes]} == 1 ]] || _primus_rendezvous_is_here "${_prr[master_addr]}" ||
    primus_log warning "MASTER_ADDR=${_prr[master_addr]} (${_prr["master_addr.origin"]}) is neither a name nor an address of this host, node rank 0"
  ! _primus_port_taken "${_prr[master_port]}" ||
    primus_fail environment "port ${_prr[master_port]} (${_prr["master_port.origin"]}) is taken on this host, node rank 0" \
      "primus-cli keeps a port that was set: set MASTER_PORT to a free one, the same on all nodes"
}

_primus_rendezvous_address() {
  local -a hosts=()
  [[ -z ${_prr[master_addr]} ]] || return 0
  if [[ ${_prr["nnodes.origin"]} == SLURM_* && -n ${SLURM_STEP_NODELIST-} ]]; then
    primus_hostlist_expand hosts "$SLURM_STEP_NODELIST" ||
      primus_fail usage "SLURM_STEP_NODELIST=\"$SLURM_STEP_NODELIST\" cannot be read" "set MASTER_ADDR for primus-cli" || return
    _prr["master_addr"]=${hosts[0]} _prr["master_addr.origin"]=SLURM_STEP_NODELIST
    return 0
  fi
  primus_fail usage "${_prr[nnodes]} nodes (${_prr["nnodes.origin"]}), but where they meet was not said" \
    "give primus-cli direct --master-addr HOST, or set MASTER_ADDR: the host of node rank 0, the same on all nodes"
}

# The same on all nodes of a job, different for jobs that share a node; below the ports that kernels hand out.
_primus_rendezvous_port() {
  local job='' step=''
  [[ -z ${_prr[master_port]} ]] || return 0
  _primus_slurm_count job SLURM_JOB_ID || return
  if [[ -n $job ]]; then
    [[ ! ${SLURM_STEP_ID-} =~ ^[0-9]{1,9}$ ]] || step=$((10#$SLURM_STEP_ID))
    _prr["master_port"]=$((20000 + (job * 7 + ${step:-0}) % 12000)) _prr["master_port.origin"]='derived from SLURM_JOB_ID'
  else
    _prr["master_port"]=29500 _prr["master_port.origin"]='the default'
  fi
}

# Names, short names, fully qualified names and addresses of this host are equals.
_primus_rendezvous_is_here() {
  local address=$1 own='' word=''
  case $address in localhost | 127.* | ::1 | "${HOSTNAME-}") return 0 ;; esac
  own=" $({ hostname && hostname -s && hostname -f && hostname -I; } 2>/dev/null | tr '\n' ' ')"
  [[ $own != *" $address "* && $own != *" ${address%%.*} "* ]] || return 0
  while read -r word _; do
    [[ $own != *" $word "* && $word != 127.* ]] || return 0
  done < <(timeout 5 getent ahosts "$address" 2>/dev/null)
  return 1
}

_primus_port_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
