#!/usr/bin/env bats
# What direct makes of its arguments, and what reaches the training.

load ../helper
setup() { setup_project; }

@test "the whole argument list of a launch on one node" {
  run -0 --separate-stderr train --nproc 3 --run-id r1
  assert_equal "$output" 'training'
  assert_argv -m primus.torchrun --standalone --nproc_per_node 3 \
    --log_dir "$RECORDS/output/local/me/exp/r1/logs" --redirects 3 --tee 3 --local_ranks_filter 0 \
    -m primus.run train pretrain --config exp.yaml
  [[ -d $RECORDS/output/local/me/exp/r1 ]]
}

@test "the whole argument list of a launch on several nodes" {
  run -0 train --nproc 8 --nnodes 4 --node-rank 3 --master-addr node0 --master-port 12345 --run-id r1
  assert_argv -m primus.torchrun --nnodes 4 --node_rank 3 --master_addr node0 --master_port 12345 --nproc_per_node 8 \
    --log_dir "$RECORDS/output/local/me/exp/r1/logs" --redirects 3 --tee 3 --local_ranks_filter 0 \
    -m primus.run train pretrain --config exp.yaml
}

@test "--single starts one plain process, as PRIMUS_RUN_MODE=single does" {
  run -0 train --single
  assert_argv -m primus.run train pretrain --config exp.yaml
  rm "$RECORDS/argv"
  PRIMUS_RUN_MODE=single run -0 train
  assert_argv -m primus.run train pretrain --config exp.yaml
  assert_equal "$(recorded_env PRIMUS_RUN_MODE)" single
}

@test "every argument reaches training byte for byte" {
  local -a odd=(--layout 'Et*1|t*1|t*2|t*2' '$(touch ./pwn)' '`touch pwn`' 'a;b' 'a&b' "it's" '"quoted"' 'back\slash'
    $'new\nline' $'a\tb' '' ' ' '*' '?' '[a]' '{x}' '~' '!x' '#c' '%s%n' '-' '--' '--flag' '=' 'a=b=c' 'C:\x' 'hello world!' $'\e[0m' 'ümlaut' '$HOME' '${X}'
    "$(printf '\377')" '--' 'last')
  local -a got=()
  touch Et1
  run -0 cli direct -- train pretrain --config exp.yaml "${odd[@]}"
  recorded_train_args got
  assert_list got --config exp.yaml "${odd[@]}"
  mapfile -d '' -t got <"$RECORDS/plan_argv"
  assert_list got -m primus.plan --nnodes 1 --node-rank 0 --nproc-per-node "$(($(nproc) > 1 ? 2 : 1))" -- train pretrain --config exp.yaml "${odd[@]}"
  [[ ! -e pwn ]]
}

@test "only the launcher's own -- is taken away" {
  local -a got=()
  run -0 cli direct --single --log_file l.txt -- train pretrain --config exp.yaml -- --a b --
  recorded_train_args got
  assert_list got --config exp.yaml -- --a b --
  printf 'import sys\nprint(sys.argv[1:])\n' >s.py
  run -0 --separate-stderr cli direct --script s.py --single -- -- --a
  assert_equal "$output" "['--', '--a']"
}

@test "an option may be written with a space, an equals sign or underscores" {
  local form=''
  for form in '--run-id x1' '--run-id=x1' '--run_id x1' '--run_id=x1'; do
    # shellcheck disable=SC2086 # the form is meant to be split
    run -0 train $form
    assert_equal "$(recorded_env PRIMUS_RUN_ID)" x1
  done
}

@test "words after the train command are never options of direct" {
  local -a got=()
  run -0 cli direct -- train pretrain --config exp.yaml environment=x extra_args=1 env_file=y --env z --dry-run
  recorded_train_args got
  assert_list got --config exp.yaml environment=x extra_args=1 env_file=y --env z --dry-run
}

@test "an unknown option is refused with the nearest one" {
  run -2 --separate-stderr train --numaa
  assert_equal "$stderr" '[primus] ERROR unknown option --numaa
[primus] did you mean --numa? see primus-cli direct --help'
  run -2 --separate-stderr train --nprocs=3
  assert_equal "$stderr" '[primus] ERROR unknown option --nprocs
[primus] did you mean --nproc? see primus-cli direct --help'
  run -2 --separate-stderr train -x
  assert_equal "$stderr" '[primus] ERROR unknown option -x
[primus] see primus-cli direct --help'
  [[ ! -e $RECORDS/calls ]]
}

@test "a missing value and a value for a flag are refused" {
  run -2 --separate-stderr cli direct --nproc
  assert_equal "$stderr" '[primus] ERROR --nproc needs a value
[primus] see primus-cli direct --help'
  run -2 --separate-stderr cli direct --nproc -- train pretrain
  assert_equal "$stderr" '[primus] ERROR --nproc needs a value
[primus] see primus-cli direct --help'
  run -2 --separate-stderr train --single=yes
  assert_equal "$stderr" '[primus] ERROR --single takes no value, got "yes"
[primus] see primus-cli direct --help'
}

@test "nothing to run is an error" {
  run -2 --separate-stderr cli direct --nproc 2 --
  assert_equal "$stderr" '[primus] ERROR there is nothing to run
[primus] primus-cli direct [options] -- train pretrain --config FILE'
}

@test "a configuration that the check refuses ends with its status and message, and nothing runs" {
  hook 010-x.sh <<<'touch "$RECORDS/ran"'
  FAKE_PLAN_STATUS=2 run -2 --separate-stderr train
  assert_equal "$stderr" '[primus] ERROR exp.yaml:3: unknown key
did you mean another?'
  FAKE_PLAN_STATUS=3 run -3 --separate-stderr train
  [[ ! -e $RECORDS/argv && ! -e $RECORDS/ran ]]
}

@test "exactly one Python runs before training" {
  run -0 train
  assert_equal "$(<"$RECORDS/calls")" '-m primus.plan
-m primus.torchrun'
}

@test "the status of training is the launcher's" {
  local status=''
  for status in 1 2 17 137; do
    FAKE_RC=$status run "-$status" train
  done
}

@test "the launcher becomes the training: same process" {
  fake python <<'E2'
if [[ $2 == primus.torchrun ]]; then printf '%s\n' "$$" >"$RECORDS/pid"; exit; fi
exec "${0%/*}/recorder-python" "$@"
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" "$ROOT/primus-cli" direct --log-file l.txt -- train pretrain --config exp.yaml &
  local pid=$!
  wait "$pid"
  assert_equal "$(<"$RECORDS/pid")" "$pid"
}

@test "--script runs another Python file in the place of primus.run" {
  printf 'x\n' >'my script.py'
  run -0 train --nproc 2 --run-id r --script 'my script.py'
  assert_argv -m primus.torchrun --standalone --nproc_per_node 2 \
    --log_dir "$RECORDS/output/local/me/exp/r/logs" --redirects 3 --tee 3 --local_ranks_filter 0 \
    'my script.py' train pretrain --config exp.yaml
  run -0 cli direct --nproc 2 --script 'my script.py' -- one two three
  assert_argv -m primus.torchrun --standalone --nproc_per_node 2 'my script.py' one two three
  run -3 --separate-stderr train --script none.py
  assert_equal "$stderr" '[primus] ERROR there is no readable file none.py
[primus] correct --script or --patch of primus-cli direct'
}

@test "--patch runs like a hook, after the hooks" {
  hook 010-a.sh <<<'echo extra.order=hook; echo env.WHO=hook'
  printf 'echo "extra.order=patch-%s"; echo env.WHO=patch; echo "extra.first=$1"' '$WHO' >p.sh
  run -0 train --patch p.sh
  local -a got=()
  recorded_train_args got
  assert_list got --order hook --order patch-hook --first --config --config exp.yaml
  assert_equal "$(recorded_env WHO)" patch
  assert_equal "$(recorded_env PRIMUS_HOOK_EXTRAS)" 6
}

@test "posttrain is launched like pretrain" {
  run -0 cli direct --single -- train posttrain --config exp.yaml
  assert_argv -m primus.run train posttrain --config exp.yaml
}

@test "--debug and --quiet change no dispatch" {
  hook 010-a.sh <<<'echo noise; echo extra.a=1'
  local option=''
  local -a got=()
  for option in --debug --quiet --no-numa; do
    run -0 train "$option"
    recorded_train_args got
    assert_list got --a 1 --config exp.yaml
  done
  run -0 --separate-stderr train --quiet
  assert_equal "$stderr" ''
}
