# shellcheck shell=bash
# The interpreter, and what it says about packages and backends.
# shellcheck disable=SC2154 # runner/commands/doctor keeps the lists and what else is used here

_primus_doctor_python() {
  local message='' why='' version=''
  if ! message=$(primus_python_find python "$venv" 2>&1); then
    message=${message//'[primus] '/}
    message=${message#ERROR }
    _primus_doctor_fact python missing interpreter "${message%%$'\n'*}" "${message#*$'\n'}"
    return 0
  fi
  primus_python_find python "$venv"
  _primus_doctor_why why
  _primus_doctor_fact python ok interpreter "$python ($why)"
  version=$(_primus_doctor_within 20 "$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>&1 </dev/null) || :
  version=${version##*$'\n'}
  if [[ ! $version =~ ^3\.([0-9]+)\.[0-9]+$ ]]; then
    _primus_doctor_fact python missing Python "$python does not run: $version" "python3 -m venv DIR, and give primus-cli --venv DIR"
  elif ((BASH_REMATCH[1] < 10)); then
    _primus_doctor_fact python missing Python "$version, but 3.10 or newer is needed" "install a newer Python, then: python3.X -m venv DIR, and give primus-cli --venv DIR"
  else
    _primus_doctor_fact python ok Python "$version"
    _primus_doctor_ask_python
  fi
}

# Puts into RESULT which setting names the interpreter.
_primus_doctor_why() {
  local _pdw=''
  if [[ -n $venv ]]; then
    _pdw=${options["venv origin"]:---venv}
  elif [[ -n ${PRIMUS_PYTHON-} ]]; then
    _pdw=PRIMUS_PYTHON
  elif [[ $python == "${VIRTUAL_ENV-}"/bin/python ]]; then
    _pdw=VIRTUAL_ENV
  elif [[ $python == "${CONDA_PREFIX-}"/bin/python ]]; then
    _pdw=CONDA_PREFIX
  elif [[ $python == "$root"/.venv/bin/python ]]; then
    _pdw="the project's own"
  else
    _pdw='first on PATH'
  fi
  printf -v "$1" '%s' "$_pdw"
}

_primus_doctor_ask_python() {
  local -a fact=()
  local -i count=0
  while mapfile -d '' -t -n 5 fact && ((${#fact[@]} == 5)); do
    count+=1
    _primus_doctor_fact "${fact[@]}"
  done < <(
    primus_path_prepend PYTHONPATH "$root"
    _primus_doctor_within 180 "$python" -m primus.tools.doctor ${options["--deep"]+--deep} </dev/null
  )
  ((count)) || _primus_doctor_fact python missing modules "$python cannot run primus.tools.doctor; what it says stands above" "check PYTHONPATH and the files in $root/primus"
}
