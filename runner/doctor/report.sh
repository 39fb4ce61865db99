# shellcheck shell=bash
# The report, for people and for machines.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

_primus_doctor_text() {
  local area='' last=''
  local -A titles=([python]=Python [backends]=Backends [host]=Host [slurm]=Slurm [containers]=Containers [limits]=Limits [storage]=Storage)
  local -i i=0 j=0 at=0
  for area in python backends host slurm containers limits storage; do
    for ((i = 0; i < ${#facts[@]}; i += 5)); do
      [[ ${facts[i]} == "$area" ]] || continue
      [[ $area == "$last" ]] || printf '%s\n' "${titles["$area"]}"
      last=$area
      printf '  %-8s %-14s %s\n' "${facts[@]:i+1:3}"
      [[ -z ${facts[i + 4]} ]] || printf '           mend: %s\n' "${facts[i + 4]}"
    done
  done
  printf 'What can run here\n'
  for ((i = 0; i < ${#modes[@]}; i += 3)); do
    last=${modes[i]}${modes[i + 1]:+ with ${modes[i + 1]}}
    if ((modes[i + 2] == 0)); then
      printf '  yes      %s\n' "$last"
      continue
    fi
    printf '  no       %s\n' "$last"
    for ((j = 0; j < modes[i + 2]; j++, at += 2)); do
      printf '           %s\n' "${lacks[at]}"
      [[ -z ${lacks[at + 1]} ]] || printf '           mend: %s\n' "${lacks[at + 1]}"
    done
  done
}

_primus_doctor_json() {
  local item='' list='' word=''
  local -i i=0 j=0 at=0
  printf '{\n  "facts": ['
  for ((i = 0; i < ${#facts[@]}; i += 5)); do
    _primus_doctor_object item area "${facts[i]}" state "${facts[i + 1]}" name "${facts[i + 2]}" value "${facts[i + 3]}" remedy "${facts[i + 4]}"
    ((i == 0)) || printf ','
    printf '\n    %s' "$item"
  done
  printf '\n  ],\n  "modes": ['
  for ((i = 0; i < ${#modes[@]}; i += 3)); do
    list=''
    for ((j = 0; j < modes[i + 2]; j++, at += 2)); do
      _primus_doctor_object item what "${lacks[at]}" remedy "${lacks[at + 1]}"
      list+=${list:+, }$item
    done
    word=false
    ((modes[i + 2])) || word=true
    _primus_doctor_object item mode "${modes[i]}" backend "${modes[i + 1]}"
    ((i == 0)) || printf ','
    printf '\n    %s, "works": %s, "lacks": [%s]}' "${item%\}}" "$word" "$list"
  done
  printf '\n  ]\n}\n'
}

# Puts a JSON object of strings into RESULT.
# Usage: _primus_doctor_object RESULT NAME TEXT...
_primus_doctor_object() {
  local _pdo_out='' _pdo_name='' _pdo_text=''
  local -i _pdo_i=0
  for ((_pdo_i = 2; _pdo_i < $#; _pdo_i += 2)); do
    _primus_json_string _pdo_name "${*:_pdo_i:1}"
    _primus_json_string _pdo_text "${*:_pdo_i+1:1}"
    _pdo_out+=${_pdo_out:+, }"$_pdo_name: $_pdo_text"
  done
  printf -v "$1" '{%s}' "$_pdo_out"
}
