# shellcheck shell=bash
# Shows what a Slurm launch would do, down to the command on the nodes, and does nothing.

# Usage: primus_slurm_dry_run_show RUN_ID VERDICT NNODES NPROC SCRIPT ARGV_ARRAY COMMAND_ARRAY
# Prints the command for Slurm, the batch SCRIPT if any, and the plan of node rank 0 as if this host were it. VERDICT
# is what Slurm said about the request.
primus_slurm_dry_run_show() {
  local id=$1 verdict=$2 nodes=$3 nproc=$4 script=$5 root='' line=''
  local -n _psdr_argv=$6 _psdr_command=$7
  local -a shown=() lines=()
  primus_root root
  printf '# The plan of primus-cli slurm. Nothing was queued and no folder was made.\n'
  while IFS= read -r line; do [[ -z $line ]] || printf '# Slurm says: %s\n' "$line"; done < <(printf '%s\n' "$verdict")
  if [[ -n $script ]]; then
    primus_secret_mask script "$script"
    printf '# the batch script:\n%s\n' "$script"
  fi
  primus_secret_mask_args shown "${_psdr_argv[@]}"
  printf '# command:\nenv -C %q' "$PWD"
  printf ' %q' "${shown[@]}"
  printf '\n'
  [[ ${_psdr_command[0]} == direct ]] || {
    printf '# on each node: primus-cli'
    primus_secret_mask_args shown "${_psdr_command[@]}"
    printf ' %q' "${shown[@]}"
    printf '\n'
    return 0
  }
  printf '# on node rank 0, as if this host were it:\n'
  mapfile -t lines < <(_primus_slurm_dry_run_node 2>&1)
  lines=(${lines[@]+"${lines[@]#'#'}"})
  printf '#   %s\n' ${lines[@]+"${lines[@]# }"}
}

_primus_slurm_dry_run_node() {
  local -a options=("${_psdr_command[@]:1}")
  export PRIMUS_RUN_ID=$id SLURM_JOB_ID=${SLURM_JOB_ID:-1} SLURM_STEP_ID=0 SLURM_NODEID=0 SLURM_STEP_NUM_NODES=$((nodes ? nodes : 1))
  export SLURM_STEP_NUM_TASKS=$SLURM_STEP_NUM_NODES SLURM_STEP_NODELIST=$HOSTNAME
  ((nproc == 0)) || options=(--nproc "$nproc" "${options[@]}")
  exec "$BASH" "$root/runner/commands/direct" --dry-run "${options[@]}"
}
