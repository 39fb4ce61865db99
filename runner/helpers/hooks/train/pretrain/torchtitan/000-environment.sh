#!/usr/bin/env bash
# Sees that TorchTitan can be imported: fails with the command that installs it, or installs it into the project's
# .venv when PRIMUS_AUTO_INSTALL=1.
set -euo pipefail

# Whether an interpreter finds all modules, without importing them. The working directory does not count.
has_modules() {
  "$1" -c 'import sys
sys.path[:] = [entry for entry in sys.path if entry]
from importlib.util import find_spec
sys.exit(not all((spec := find_spec(name)) and spec.origin for name in sys.argv[1:]))' "${@:2}"
}

# Packages of a virtual environment are seen from another one through a .pth file; those of a system interpreter
# through --system-site-packages. Either way a vendor's torch stays the one that is used.
create_venv() {
  local base=$1 venv=$2
  local -a options=()
  ! has_modules "$base" torch || options=(--system-site-packages)
  primus_log info "making $venv from $base"
  "$base" -m venv ${options[@]+"${options[@]}"} "$venv" >&2 ||
    primus_fail environment "$base cannot make virtual environments" "install its venv module (Debian, Ubuntu: apt-get install python3-venv)" || return
  if ((${#options[@]})) && "$base" -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'; then
    "$base" -c 'import sysconfig; print(sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), sep="\n")' \
      >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/primus-base.pth"
  fi
}

# The constraints, with the torch that is there in place of the one that they name.
write_constraints() {
  local python=$1 file=$2
  "$python" -c 'import sys
from importlib.metadata import version
lines = [line for line in open(sys.argv[1], encoding="utf-8") if not line.startswith("torch==")]
print("".join(lines) + "torch===" + version("torch"))' "$file"
}

install() {
  local root=$1 base=$2 venv=$1/.venv constraints=$1/constraints.txt
  local -a packages=('pyyaml>=6' 'packaging>=22' torchtitan tokenizers)
  [[ -x $venv/bin/python ]] || create_venv "$base" "$venv" || return
  ! has_modules "$venv/bin/python" torch torchtitan tokenizers yaml packaging || return 0
  if has_modules "$venv/bin/python" torch; then
    write_constraints "$venv/bin/python" "$constraints" >"$venv/primus-constraints.txt" || return
    constraints=$venv/primus-constraints.txt
  else
    packages+=(torch)
  fi
  primus_log info "installing into $venv, which takes minutes: ${packages[*]}"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off \
    --constraint "$constraints" "${packages[@]}" >&2 ||
    primus_fail environment "pip could not install torchtitan into $venv" "its own lines above say why"
}

main() {
  local root='' command=''
  [[ -z ${PRIMUS_PLAN_FRAMEWORK_ORIGIN-} ]] || return 0
  # shellcheck source=runner/site.sh
  source "${BASH_SOURCE[0]%/*}/../../../../../site.sh"
  primus_root root
  [[ -n ${PRIMUS_PYTHON-} ]] || primus_python_find PRIMUS_PYTHON || return
  ! has_modules "$PRIMUS_PYTHON" torch torchtitan || return 0
  if [[ ${PRIMUS_AUTO_INSTALL-} != 1 ]]; then
    printf -v command '%q ' "$PRIMUS_PYTHON" -m pip install --constraint "$root/constraints.txt" torch torchtitan tokenizers
    primus_fail environment "$PRIMUS_PYTHON has no torchtitan" "${command% }, or set PRIMUS_AUTO_INSTALL=1" || return
  fi
  primus_lock "$root/.venv/.primus-install.lock" 1800 install "$root" "$PRIMUS_PYTHON" || return
  primus_hook_env PRIMUS_PYTHON "$root/.venv/bin/python"
}

main "$@"
