#!/usr/bin/env bash
# Summary: make the project's own Python environment, .venv, once.
# Usage:   scripts/setup.sh core|dev
#   core   what primus-cli itself needs (PyYAML, packaging); frameworks come by their environment hooks
#   dev    core, and everything that the tests and the checks need
# Environment: PYTHON names the interpreter to build on (default python3; 3.10 or newer).
# Exit status: 0 ready; 2 usage; 3 the host lacks something.
set -euo pipefail

fail() {
  printf '[primus] ERROR %s\n' "$@" >&2
  exit 3
}

# A vendor's torch (ROCm, CUDA containers) must stay the one that is used, so .venv then sees the base packages.
create_venv() {
  local python=$1
  local -a options=()
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$python is $("$python" --version 2>&1), Primus needs Python 3.10 or newer" "set PYTHON to a newer one"
  if "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)'; then
    options+=(--system-site-packages)
  fi
  "$python" -m venv "${options[@]+"${options[@]}"}" .venv >&2 ||
    fail "$python cannot make virtual environments" "Debian and Ubuntu: apt-get install python3-venv"
}

install() {
  local stamp=$1
  shift
  if [[ -f $stamp && ! pyproject.toml -nt $stamp && ! constraints.txt -nt $stamp && ! requirements-dev.txt -nt $stamp ]]; then
    return
  fi
  printf '[primus] installing into .venv: %s\n' "$*" >&2
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$@" >&2 ||
    fail "pip could not install $*" "its own lines above say why"
  touch "$stamp"
}

main() {
  local kind=${1:-}
  [[ $# -eq 1 && ($kind == core || $kind == dev) ]] || {
    sed -n '2,7s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
  }
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  local python=${PYTHON:-python3}
  command -v "$python" >/dev/null || fail "$python: no such interpreter" "install Python 3.10 or newer, or set PYTHON"
  [[ -x .venv/bin/python ]] || create_venv "$python"
  case $kind in
    core) install .venv/.core-ready 'pyyaml>=6' 'packaging>=22' ;;
    dev) install .venv/.dev-ready -r requirements-dev.txt ;;
  esac
}

main "$@"
