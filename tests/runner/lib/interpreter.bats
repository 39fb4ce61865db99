#!/usr/bin/env bats
# Which Python runs everything.

load ../helper

setup() {
  setup_project
  RECORDER=$PRIMUS_PYTHON
  unset PRIMUS_PYTHON
}

# An interpreter at a path.
python_at() {
  mkdir -p "${1%/*}"
  cp "$RECORDER" "$1"
}

@test "--venv over PRIMUS_PYTHON over the active environment over the project's own over PATH" {
  local -a order=("$BATS_TEST_TMPDIR/bin/python" "$BATS_TEST_TMPDIR/bin/python3" "$ROOT/.venv/bin/python" "$BATS_TEST_TMPDIR/conda/bin/python"
    "$BATS_TEST_TMPDIR/a venv/bin/python" "$BATS_TEST_TMPDIR/own/python" "$BATS_TEST_TMPDIR/v/bin/python")
  local -i i=0
  export PATH="$BATS_TEST_TMPDIR/bin:/usr/bin:/bin"
  local -a options=()
  for ((i = 1; i < ${#order[@]}; i++)); do
    python_at "${order[i]}"
    case $i in
      3) export CONDA_PREFIX="$BATS_TEST_TMPDIR/conda" ;;
      4) export VIRTUAL_ENV="$BATS_TEST_TMPDIR/a venv" ;;
      5) export PRIMUS_PYTHON="$BATS_TEST_TMPDIR/own/python" ;;
      6) options=(--venv "$BATS_TEST_TMPDIR/v/") ;;
    esac
    run -0 train "${options[@]}"
    assert_equal "$(recorded_env PRIMUS_PYTHON)" "${order[i]}"
  done
}

@test "python serves where there is no python3" {
  python_at "$BATS_TEST_TMPDIR/only/python"
  local tool=''
  for tool in bash env cat mkdir timeout mawk awk nproc readlink; do
    [[ ! -x $(type -P "$tool") ]] || ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/only/$tool"
  done
  PATH="$BATS_TEST_TMPDIR/only" run -0 train
  assert_equal "$(recorded_env PRIMUS_PYTHON)" "$BATS_TEST_TMPDIR/only/python"
}

@test "an interpreter that is named but not there is refused before any hook" {
  hook 010-a.sh <<<'touch "$RECORDS/ran"'
  run -3 --separate-stderr train --venv /none
  assert_equal "$stderr" '[primus] ERROR --venv /none: there is no interpreter /none/bin/python
[primus] make one with: python3 -m venv DIR, and give --venv DIR'
  PRIMUS_PYTHON=pyhton run -3 --separate-stderr train
  assert_equal "$stderr" '[primus] ERROR PRIMUS_PYTHON=pyhton: there is no interpreter pyhton
[primus] make one with: python3 -m venv DIR, and give --venv DIR'
  VIRTUAL_ENV=/none run -3 train
  [[ ! -e $RECORDS/ran ]]
}

@test "a relative path and a plain name become absolute" {
  python_at "$WORK/rel/python"
  PRIMUS_PYTHON=rel/python run -0 train
  assert_equal "$(recorded_env PRIMUS_PYTHON)" "$WORK/rel/python"
  python_at "$BATS_TEST_TMPDIR/bin/python9"
  PATH="$BATS_TEST_TMPDIR/bin:$PATH" PRIMUS_PYTHON=python9 run -0 train
  assert_equal "$(recorded_env PRIMUS_PYTHON)" "$BATS_TEST_TMPDIR/bin/python9"
}
