#!/usr/bin/env bash
# Summary: run the tests: bats for the shell, pytest for Python and for whole runs.
# Usage:   scripts/test.sh all|quick
#   quick  without the tests that start real training
# Under CI=true a skipped test is a failure.
# Exit status: 0 all passed; 1 a test failed or was skipped under CI.
set -euo pipefail

run_bats() {
  local -a jobs=()
  # bats runs files side by side only with GNU parallel.
  if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    jobs=(--jobs 2)
  fi
  local log status=0
  log=$(mktemp)
  # A launcher that writes without end must fail its test, not fill the disk.
  ulimit -S -f 2097152
  .venv/bin/bats "${jobs[@]+"${jobs[@]}"}" --recursive tests/runner | tee "$log" || status=$?
  if [[ ${CI:-} == true ]] && grep -q '^ok .*# skip' "$log"; then
    printf 'skipped under CI=true:\n' >&2
    grep '^ok .*# skip' "$log" >&2
    status=1
  fi
  rm -f "$log"
  return "$status"
}

main() {
  cd "$(dirname "${BASH_SOURCE[0]}")/.."
  local status=0
  case ${1:-} in
    all) set -- ;;
    quick) set -- -m 'not slow' ;;
    *)
      sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}" >&2
      exit 2
      ;;
  esac
  run_bats || status=1
  .venv/bin/python -m pytest "$@" || status=1
  return "$status"
}

main "$@"
