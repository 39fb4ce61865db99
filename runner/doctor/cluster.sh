# shellcheck shell=bash
# What runs training elsewhere: Slurm and container runtimes. A client is not enough, it must answer.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

_primus_doctor_slurm() {
  local name='' answer='' missing=''
  local -i status=0
  local -a found=() absent=()
  for name in srun sbatch scontrol; do
    if type -P "$name" >/dev/null; then found+=("$name"); else absent+=("$name"); fi
  done
  if ((${#found[@]} == 0)); then
    _primus_doctor_fact slurm none commands 'no srun, sbatch or scontrol on PATH' 'load the module or install the package that holds them'
    return 0
  fi
  missing=${absent[*]-}
  if ((${#absent[@]})); then
    _primus_doctor_fact slurm warning commands "${found[*]}, but no ${missing// /, }" 'load the module or install the package that holds them'
  else
    _primus_doctor_fact slurm ok commands 'srun, sbatch, scontrol'
  fi
  type -P scontrol >/dev/null || return 0
  answer=$(_primus_doctor_within 2 scontrol ping 2>&1 </dev/null) || status=$?
  case $status:$answer in
    *' is UP'*)
      answer=${answer%%' is UP'*}
      _primus_doctor_fact slurm ok controller "${answer##*$'\n'} is UP"
      ;;
    124:* | 137:*) _primus_doctor_fact slurm warning controller 'scontrol ping: no answer within 2 s' 'set SLURM_CONF to a readable slurm.conf' ;;
    *) _primus_doctor_fact slurm warning controller "scontrol ping: ${answer%%$'\n'*}" 'set SLURM_CONF to a readable slurm.conf, or start slurmctld' ;;
  esac
}

_primus_doctor_containers() {
  local name='' path='' why='' remedy=''
  local -i count=0
  for name in docker podman apptainer singularity; do
    path=$(type -P "$name") || continue
    count+=1
    if _primus_container_answers why "$path"; then
      _primus_doctor_fact containers ok "$name" "$path answers"
      continue
    fi
    case $name:$why in
      docker:*'permission denied'*) remedy="sudo usermod -aG docker ${USER:-YOUR_NAME}, then log in again" ;;
      docker:*) remedy='sudo systemctl start docker, or install podman' ;;
      *) remedy="$name info shows more" ;;
    esac
    _primus_doctor_fact containers warning "$name" "$path is here, but does not answer: $why" "$remedy"
  done
  ((count)) || _primus_doctor_fact containers none runtimes 'no docker, podman, apptainer or singularity on PATH' 'install podman'
}
