# shellcheck shell=bash
# What the tests of the launcher share. Each test has a copy of the project whose path holds a space and an
# apostrophe, an environment of its own, and recorders in the place of the programs that are started.

bats_require_minimum_version 1.5.0

setup_project() {
  local source=${BATS_TEST_DIRNAME%/tests/runner*}
  SOURCE_ROOT=$source
  ROOT="$BATS_TEST_TMPDIR/it's a root"
  RECORDS="$BATS_TEST_TMPDIR/the records"
  WORK="$BATS_TEST_TMPDIR/work"
  mkdir -p "$ROOT" "$RECORDS" "$WORK" "$BATS_TEST_TMPDIR/bin"
  cp -a "$source/primus-cli" "$source/runner" "$source/VERSION" "$ROOT/"
  ln -s "$source/primus" "$ROOT/primus"
  cp "$source/tests/runner/bin/recorder-python" "$BATS_TEST_TMPDIR/bin/"
  cd "$WORK" || return
  clean_environment
}

# Only what the launcher needs, so that no setting of the machine that runs the tests has a say.
clean_environment() {
  local name=''
  while read -r name; do
    case $name in
      BATS_* | PATH | HOME | TMPDIR | LANG | LC_* | PWD) ;;
      *) unset "$name" 2>/dev/null || : ;;
    esac
  done < <(compgen -e)
  export RECORDS HOME="$BATS_TEST_TMPDIR/home" PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/recorder-python" TEST_PYTHON=python3
  [[ ! -x $SOURCE_ROOT/.venv/bin/python ]] || TEST_PYTHON=$SOURCE_ROOT/.venv/bin/python
  mkdir -p "$HOME"
}

cli() { "$ROOT/primus-cli" "$@"; }

# A launch of the canned experiment, with the given options of direct before `--` and arguments after.
train() { cli direct "$@" -- train pretrain --config exp.yaml; }

# Puts a recorder under NAME first on PATH; it runs the shell lines on stdin.
fake() {
  {
    printf '#!/usr/bin/env bash\n'
    cat
  } >"$BATS_TEST_TMPDIR/bin/$1"
  chmod +x "$BATS_TEST_TMPDIR/bin/$1"
  [[ $PATH == "$BATS_TEST_TMPDIR/bin:"* ]] || export PATH="$BATS_TEST_TMPDIR/bin:$PATH"
}

# Writes a hook from stdin: hook PATH below the folder of hooks.
hook() {
  local file="$ROOT/runner/helpers/hooks/$1"
  mkdir -p "${file%/*}"
  cat >"$file"
}

# The recorded argument list, or the recorded plan's, must be exactly this.
assert_argv() {
  local -a recorded=()
  # shellcheck disable=SC2034 # used by its name
  mapfile -d '' -t recorded <"$RECORDS/argv"
  assert_list recorded "$@"
}

assert_list() {
  local -n _al_got=$1
  shift
  local -i i=0
  for ((i = 0; i < $# || i < ${#_al_got[@]}; i++)); do
    [[ ${_al_got[i]-<nothing>} == "${*:i+1:1}" ]] && ((i < $#)) && continue
    printf 'element %d is %q, expected %q\nall: ' "$i" "${_al_got[i]-<nothing>}" "${*:i+1:1}"
    printf '%q ' ${_al_got[@]+"${_al_got[@]}"}
    printf '\n'
    return 1
  done
}

# The arguments after `train pretrain` that training got.
recorded_train_args() {
  local -n _rta_result=$1
  local -a all=()
  local -i i=0
  mapfile -d '' -t all <"$RECORDS/argv"
  for ((i = 0; i < ${#all[@]}; i++)); do
    if [[ ${all[i]} == primus.run ]]; then break; fi
  done
  _rta_result=("${all[@]:i+3}")
}

# Usage: recorded_env NAME [RECORD]
# The value that a variable had in the training's environment; fails when it was not set.
recorded_env() {
  local entry=''
  while IFS= read -r -d '' entry; do
    [[ $entry == "$1="* ]] || continue
    printf '%s' "${entry#*=}"
    return 0
  done <"$RECORDS/${2-env}"
  return 1
}

assert_equal() {
  [[ $1 == "$2" ]] || {
    printf 'got:      %q\nexpected: %q\n' "$1" "$2"
    return 1
  }
}

assert_contains() {
  [[ $1 == *"$2"* ]] || {
    printf 'this:\n%s\ndoes not hold:\n%s\n' "$1" "$2"
    return 1
  }
}

refute_contains() {
  [[ $1 != *"$2"* ]] || {
    printf 'this:\n%s\nholds:\n%s\n' "$1" "$2"
    return 1
  }
}

# Fails when a command succeeds; a bare `!` would not be noticed before the last line of a test.
refute() {
  ! "$@" || {
    printf 'this succeeded: %s\n' "$*"
    return 1
  }
}

# Waits for a child, whose status must be the given one.
assert_ends() {
  local -i status=0
  wait "$1" || status=$?
  assert_equal "$status" "$2"
}

# Waits until a command succeeds, ten seconds at most.
await() {
  local -i i=0
  for ((i = 0; i < 500; i++)); do
    ! "$@" || return 0
    sleep 0.02
  done
  printf 'this did not become true: %s\n' "$*"
  return 1
}

last_line() { printf '%s' "${1##*$'\n'}"; }
