# shellcheck shell=bash
# Which Python runs everything.

# Usage:   primus_python_find RESULT [VENV]
# Does:    puts into RESULT the absolute path of the interpreter: VENV/bin/python, else $PRIMUS_PYTHON, else that
#          of the active virtual or conda environment, else the project's own .venv, else python3 or python on
#          PATH. One that is named but not there is an error, never a reason to take the next.
# Streams: stderr, what is missing.
# Status:  0; 3 when there is none.
# Example: primus_python_find python && "$python" -m pip list
primus_python_find() {
  local _ppf_found='' _ppf_named='' _ppf_origin='' _ppf_root=''
  primus_root _ppf_root
  if [[ -n ${2-} ]]; then
    _ppf_named=${2%/}/bin/python _ppf_origin="--venv $2"
  elif [[ -n ${PRIMUS_PYTHON-} ]]; then
    _ppf_named=$PRIMUS_PYTHON _ppf_origin="PRIMUS_PYTHON=$PRIMUS_PYTHON"
  elif [[ -n ${VIRTUAL_ENV-} ]]; then
    _ppf_named=$VIRTUAL_ENV/bin/python _ppf_origin="VIRTUAL_ENV=$VIRTUAL_ENV"
  elif [[ -n ${CONDA_PREFIX-} && -x ${CONDA_PREFIX-}/bin/python ]]; then
    _ppf_named=$CONDA_PREFIX/bin/python
  elif [[ -x $_ppf_root/.venv/bin/python ]]; then
    _ppf_named=$_ppf_root/.venv/bin/python
  fi
  if [[ -n $_ppf_named ]]; then
    if [[ $_ppf_named == */* ]]; then
      [[ ! -f $_ppf_named || ! -x $_ppf_named ]] || _ppf_found=$_ppf_named
    else
      _ppf_found=$(type -P -- "$_ppf_named") || :
    fi
    [[ -n $_ppf_found ]] ||
      primus_fail environment "$_ppf_origin: there is no interpreter $_ppf_named" "make one with: python3 -m venv DIR, and give --venv DIR" || return
  else
    _ppf_found=$(type -P python3 || type -P python) ||
      primus_fail environment "there is no python3 on PATH" "install Python 3.10 or newer, or give --venv DIR" || return
  fi
  [[ $_ppf_found == /* ]] || _ppf_found=$PWD/$_ppf_found
  printf -v "$1" '%s' "$_ppf_found"
}
