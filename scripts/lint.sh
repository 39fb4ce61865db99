#!/usr/bin/env bash
# Summary: shellcheck, shfmt, ruff and mypy over the whole project.
# Usage:   scripts/lint.sh [--fix]
# Exit status: 0 clean; 1 findings.
set -euo pipefail

# Every tracked or new file that bash reads, whatever its name: by first line.
list_shell_files() {
  local file first
  while IFS= read -r -d '' file; do
    [[ -f $file ]] || continue
    IFS= read -r first <"$file" || true
    case $first in
      '#!/usr/bin/env bash' | '# shellcheck shell=bash'*) printf '%s\0' "$file" ;;
    esac
  done < <(git ls-files -z --cached --others --exclude-standard)
}

main() {
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  export PATH="$PWD/.venv/bin:$PATH"
  local -a files
  mapfile -d '' -t files < <(list_shell_files)
  if [[ ${1:-} == --fix ]]; then
    shfmt -i 2 -ci -w "${files[@]}"
    .venv/bin/python -m ruff check --fix .
    .venv/bin/python -m ruff format .
    return
  fi
  shellcheck -x "${files[@]}"
  shfmt -i 2 -ci -d "${files[@]}"
  .venv/bin/python -m ruff check .
  .venv/bin/python -m ruff format --check .
  .venv/bin/python -m mypy
}

main "$@"
