# shellcheck shell=bash
# The launcher's own tools, which it finds also after a hook has changed PATH for the training.

# Puts the absolute path of a program into RESULT, from the PATH that the launcher started with.
# Status: 0; 1 when there is none.
_primus_tool() {
  local PATH=${PRIMUS_LAUNCHER_PATH:-$PATH} _pt_found=''
  _pt_found=$(type -P -- "$2") || return 1
  printf -v "$1" '%s' "$_pt_found"
}
