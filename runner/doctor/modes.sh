# shellcheck shell=bash
# What can run here, and what it lacks. The array modes of the caller holds three elements for each: mode, backend
# (or nothing), and the number of its lacks; the array lacks holds two for each of these: what, and the remedy.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

_primus_doctor_modes() {
  local -i i=0 any=0
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    [[ ${facts[i]} == backends ]] || continue
    any=1
    _primus_doctor_direct "${facts[i + 2]}"
  done
  ((any)) || _primus_doctor_direct ''
  [[ ! -f $root/runner/commands/container ]] || _primus_doctor_elsewhere container containers
  [[ ! -f $root/runner/commands/slurm ]] || _primus_doctor_elsewhere slurm slurm
}

# Direct mode with a backend needs everything of this host's own that is missing.
_primus_doctor_direct() {
  local backend=$1 name=''
  local -i i=0 count=0
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    [[ ${facts[i + 1]} == missing ]] || continue
    name=${facts[i + 2]}
    [[ ${facts[i]} != backends || $name == "$backend" ]] || continue
    lacks+=("$name: ${facts[i + 3]}" "${facts[i + 4]}")
    count+=1
  done
  if [[ -z $backend ]] && ((count == 0)); then
    lacks+=('there is no backend' '') count=1
  fi
  modes+=(direct "$backend" "$count")
}

# Another mode needs one container runtime that answers; or all that Slurm has.
_primus_doctor_elsewhere() {
  local mode=$1 area=$2
  local -i i=0 count=0 works=0
  local -a found=()
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    [[ ${facts[i]} == "$area" ]] || continue
    if [[ ${facts[i + 1]} == ok ]]; then
      works=1
    else
      found+=("${facts[i + 2]}: ${facts[i + 3]}" "${facts[i + 4]}")
      count+=1
    fi
  done
  [[ $mode != container ]] || ((works == 0)) || count=0
  ((count == 0)) || lacks+=("${found[@]}")
  modes+=("$mode" '' "$count")
}

_primus_doctor_can_train() {
  local -i i=0
  for ((i = 0; i < ${#modes[@]}; i += 3)); do
    [[ ${modes[i]} != direct || ${modes[i + 2]} != 0 ]] || return 0
  done
  return 1
}
