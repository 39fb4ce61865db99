# shellcheck shell=bash
# How one node of a step ended. Each node writes a file into the run's record; whoever started the step reads them.

# Usage: primus_slurm_node_write FOLDER KEY=VALUE...
# Writes the file of this node and this start.
primus_slurm_node_write() {
  local file=$1/node-${SLURM_RESTART_COUNT:-0}-${SLURM_NODEID:-0}
  shift
  { printf '%s\n' "$@" >"$file.new" && mv -f -- "$file.new" "$file"; } 2>/dev/null ||
    primus_log warning "the state of node rank ${SLURM_NODEID:-0} cannot be written to $file"
}

# Usage: primus_slurm_node_end FOLDER STATUS LOG OFFSET KEY=VALUE...
# Writes how this node ended: when, as its ranks noticed it, and why, in the words of the agent, else the last
# complaint in LOG after OFFSET bytes.
primus_slurm_node_end() {
  local folder=$1 file=$1/failure-${SLURM_RESTART_COUNT:-0}-${SLURM_NODEID:-0} time='' cause='' line=''
  local -a failure=()
  _primus_clock time
  if [[ -f $file ]]; then
    mapfile -t failure <"$file"
    rm -f -- "$file"
    [[ ! ${failure[0]-} =~ ^[0-9]{16}$ ]] || time=${failure[0]} cause=${failure[1]-}
  elif (($2)) && [[ -f $3 ]]; then
    while IFS= read -r line; do
      case $line in '[primus] ERROR '* | '[primus] ended by signal '* | '[primus] rank '*) cause=${line#'[primus] '} ;; esac
    done < <(tail -c "+$(($4 + 1))" -- "$3" 2>/dev/null | tail -n 50)
    cause=${cause#ERROR }
  fi
  [[ -n $cause ]] || (($2 == 0)) || primus_status_describe cause "$2"
  primus_slurm_node_write "$folder" "${@:5}" "time=$time" "status=$2" "cause=$cause"
}

# Reads the file of one node into the associative array RESULT.
_primus_slurm_node_read() {
  local -n _psnr_result=$1
  local line=''
  local -a lines=()
  _psnr_result=()
  mapfile -t lines <"$2"
  for line in ${lines[@]+"${lines[@]}"}; do _psnr_result["${line%%=*}"]=${line#*=}; done
}
