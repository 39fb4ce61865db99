# shellcheck shell=bash
# What was found out. The array facts of the caller holds five elements for each: area, state, name, value, remedy.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

# Usage: _primus_doctor_fact AREA STATE NAME VALUE [REMEDY]
_primus_doctor_fact() {
  local value='' remedy=''
  primus_secret_mask value "$4"
  primus_secret_mask remedy "${5-}"
  facts+=("$1" "$2" "$3" "${value//$'\n'/ }" "${remedy//$'\n'/ }")
}

# Puts into RESULT the state of the fact NAME of AREA; empty where there is none.
_primus_doctor_state() {
  local -i _pds_i=0
  printf -v "$1" ''
  for ((_pds_i = 0; _pds_i < ${#facts[@]}; _pds_i += 5)); do
    [[ ${facts[_pds_i]} != "$2" || ${facts[_pds_i + 2]} != "$3" ]] || printf -v "$1" '%s' "${facts[_pds_i + 1]}"
  done
}

# Puts a number of kibibytes into RESULT as people write it.
_primus_doctor_size() {
  local -i _pds_kib=$2
  if ((_pds_kib < 1024 * 1024)); then
    printf -v "$1" '%d MiB' "$((_pds_kib / 1024))"
  else
    printf -v "$1" '%d.%d GiB' "$((_pds_kib / 1048576))" "$((_pds_kib % 1048576 * 10 / 1048576))"
  fi
}

# Runs a command for so many seconds at most, where there is a tool for that.
_primus_doctor_within() {
  if type -P timeout >/dev/null; then timeout --kill-after=2 "$@"; else "${@:2}"; fi
}

# Puts the size and the free part of the file system that holds FOLDER into RESULT_SIZE and RESULT_FREE, in kibibytes.
_primus_doctor_df() {
  local _pdd_line=''
  _pdd_line=$(_primus_doctor_within 5 df -Pk -- "$3" 2>/dev/null) || return 1
  [[ ${_pdd_line##*$'\n'} =~ \ ([0-9]+)\ +[0-9]+\ +([0-9]+)\ +[0-9]+% ]] || return 1
  printf -v "$1" '%s' "${BASH_REMATCH[1]}"
  printf -v "$2" '%s' "${BASH_REMATCH[2]}"
}
