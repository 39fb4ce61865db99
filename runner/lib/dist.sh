# shellcheck shell=bash
# The distributed settings: how many nodes, which one this is, how many ranks it has.
# Explicit settings come first (the command's options and their environment variables), then Slurm's step, then
# what the host has.

# Usage:   primus_dist_resolve DIST
# Does:    completes the associative array DIST, which may hold nnodes, node_rank, nproc, master_addr and
#          master_port, each with where it was set under NAME.origin. Adds accelerator: nvidia, amd or nothing.
#          master_port stays empty on a single node: torchrun then finds a free one.
# Streams: stderr, what is wrong.
# Status:  0; 2 for a setting that is no number, out of range or missing; 3 when the port is taken.
# Example: declare -A dist=([nproc]=2 [nproc.origin]=--nproc); primus_dist_resolve dist
primus_dist_resolve() {
  local -n _pdr=$1
  local name=''
  local -A limit=([nnodes]=1 [nproc]=1 [node_rank]=0 [master_port]=1)
  for name in nnodes node_rank nproc master_addr master_port; do
    [[ -n ${_pdr["$name"]-} ]] || {
      _pdr["$name"]='' _pdr["$name.origin"]=''
      continue
    }
    [[ -n ${limit["$name"]-} ]] || continue
    if ! _primus_is_count "${_pdr["$name"]}" || ((_pdr["$name"] < limit["$name"])); then
      primus_fail usage "${_pdr["$name.origin"]} is \"${_pdr["$name"]}\", which is no whole number from ${limit["$name"]}" \
        "correct ${_pdr["$name.origin"]} for primus-cli" || return
    fi
  done
  _primus_dist_nodes || return
  _primus_dist_ranks || return
  primus_rendezvous_resolve "$1"
}

# A Slurm allocation alone does not say that this process is one of several: only a step does.
_primus_dist_nodes() {
  local slurm_nodes='' slurm_rank='' slurm_tasks=''
  _primus_slurm_count slurm_nodes SLURM_STEP_NUM_NODES || return
  _primus_slurm_count slurm_rank SLURM_NODEID || return
  _primus_slurm_count slurm_tasks SLURM_STEP_NUM_TASKS || return
  if [[ -z ${_pdr[nnodes]} && -n $slurm_nodes ]]; then
    _pdr["nnodes"]=$slurm_nodes _pdr["nnodes.origin"]=SLURM_STEP_NUM_NODES
    if [[ -n $slurm_tasks ]] && ((slurm_tasks > slurm_nodes)); then
      primus_fail usage "Slurm's step starts $slurm_tasks launchers on $slurm_nodes nodes" \
        "primus-cli starts the ranks itself: srun --ntasks-per-node=1 ..." || return
    fi
  fi
  [[ -n ${_pdr[nnodes]} ]] || _pdr["nnodes"]=1 _pdr["nnodes.origin"]='the default'
  if [[ -z ${_pdr[node_rank]} ]]; then
    if ((_pdr[nnodes] == 1)); then
      _pdr["node_rank"]=0 _pdr["node_rank.origin"]='the default'
    elif [[ -n $slurm_rank && $slurm_nodes == "${_pdr[nnodes]}" ]]; then
      _pdr["node_rank"]=$slurm_rank _pdr["node_rank.origin"]=SLURM_NODEID
    else
      primus_fail usage "${_pdr[nnodes]} nodes (${_pdr["nnodes.origin"]}), but which one this is was not said" \
        "give primus-cli direct --node-rank N, or set NODE_RANK, on each node" || return
    fi
  fi
  ((_pdr[node_rank] < _pdr[nnodes])) ||
    primus_fail usage "node rank ${_pdr[node_rank]} (${_pdr["node_rank.origin"]}) of ${_pdr[nnodes]} nodes (${_pdr["nnodes.origin"]})" \
      "node ranks count from 0: correct ${_pdr["node_rank.origin"]} for primus-cli"
}

_primus_dist_ranks() {
  local vendor='' slurm_gpus=''
  local -i count=0
  primus_accelerator_count vendor count
  _pdr["accelerator"]=$vendor
  [[ -z ${_pdr[nproc]} ]] || return 0
  # Slurm sets this in the shell of salloc too, which may run on a host of its own.
  [[ -z ${SLURMD_NODENAME-} ]] || _primus_slurm_count slurm_gpus SLURM_GPUS_ON_NODE || return
  if [[ -n $slurm_gpus && $slurm_gpus != 0 ]]; then
    _pdr["nproc"]=$slurm_gpus _pdr["nproc.origin"]=SLURM_GPUS_ON_NODE
  elif ((count)); then
    _pdr["nproc"]=$count _pdr["nproc.origin"]="$count $vendor devices"
  else
    # Two ranks rehearse what many will do; more would only compete for the cores.
    count=$(nproc 2>/dev/null) || count=1
    _pdr["nproc"]=$((count >= 2 ? 2 : 1)) _pdr["nproc.origin"]="no accelerator, $count cores"
  fi
}

# Slurm pads some of its numbers with zeros.
_primus_slurm_count() {
  local value=${!2-}
  [[ -n $value ]] || return 0
  [[ $value =~ ^[0-9]{1,9}$ ]] ||
    primus_fail usage "$2 is \"$value\", which is no whole number" "Slurm sets $2 for primus-cli: unset it outside of Slurm" || return
  printf -v "$1" '%d' "$((10#$value))"
}
