# shellcheck shell=bash
# Commands that are written in Python.

# Usage: primus_python_tool_exec FILE MODULE [ARGUMENT...]
# Becomes MODULE of this project under the project's interpreter. Its help is the module's own; where there is no
# interpreter, the header of the command FILE.
# Status: 3 without an interpreter; else the module's own.
primus_python_tool_exec() {
  local root=''
  primus_root root
  if ! primus_python_find PRIMUS_PYTHON; then
    [[ ${3-} != --help && ${3-} != -h ]] || _primus_help_print "$1"
    return 3
  fi
  export PRIMUS_PYTHON PRIMUS_ROOT=$root
  primus_path_prepend PYTHONPATH "$root"
  exec "$PRIMUS_PYTHON" -m "$2" "${@:3}"
}
