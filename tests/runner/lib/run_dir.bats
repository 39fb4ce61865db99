#!/usr/bin/env bats
# The run's id and folder.

load ../helper
setup() {
  setup_project
  RUNS="$RECORDS/output/local/me/exp"
}

@test "launches of one second have folders of their own" {
  local -a pids=()
  local -i i=0
  for ((i = 0; i < 8; i++)); do
    train >/dev/null 2>&1 3>&- &
    pids+=("$!")
  done
  wait "${pids[@]}"
  assert_equal "$(find "$RUNS" -mindepth 1 -maxdepth 1 | wc -l)" 8
}

@test "an id that is taken is not taken again" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  local -i tries=0
  _primus_run_id_new() {
    tries+=1
    ((tries > 2)) && printf -v "$1" third || printf -v "$1" first
  }
  mkdir -p there/first
  primus_run_dir_make "$PWD/there" ''
  assert_equal "$PRIMUS_RUN_ID" third
  assert_equal "$PRIMUS_RUN_DIR" "$PWD/there/third"
}

@test "an id that was set is kept, and launching again goes on in its folder" {
  run -0 train --run-id my.run-1
  touch "$RUNS/my.run-1/from-before"
  PRIMUS_RUN_ID=my.run-1 run -0 train
  assert_equal "$(recorded_env PRIMUS_RUN_DIR)" "$RUNS/my.run-1"
  [[ -e $RUNS/my.run-1/from-before ]]
}

@test "the nodes of one job share a folder" {
  local rank=''
  for rank in 0 1 2 3; do
    train --nnodes 4 --node-rank "$rank" --master-addr 127.0.0.1 --run-id r >/dev/null 2>&1 3>&- &
  done
  wait
  assert_equal "$(ls "$RUNS")" r
}

@test "an id that cannot name a folder is refused" {
  local bad=''
  for bad in a/b .. .hidden -x 'a b' $'a\nb' '*'; do
    run -2 train "--run-id=$bad"
  done
  run -2 --separate-stderr train --run-id a/b
  assert_equal "$stderr" '[primus] ERROR the run id "a/b" cannot name a folder
[primus] letters, digits, _, - and . can: correct PRIMUS_RUN_ID or --run-id for primus-cli'
}

@test "a folder that cannot be made is told" {
  mkdir -p "$RECORDS/output/local"
  : >"$RECORDS/output/local/me"
  run -3 --separate-stderr train
  assert_contains "$stderr" "[primus] ERROR the run's folder cannot be made: "
  assert_contains "$stderr" "[primus] set the experiment's workspace to a folder that primus-cli may write to"
  [[ ! -e $RECORDS/argv ]]
}
