#!/usr/bin/env bats
# The command hooks.

load ../helper
setup() {
  setup_project
  HOOKS="$ROOT/runner/helpers/hooks"
  hook 010-a.sh <<<'echo "extra.a=$*"; echo noise'
  hook train/pretrain/dummy/020-b.sh <<<'echo "extra.b=$PRIMUS_PLAN_FRAMEWORK"'
  hook train/pretrain/other/030-c.sh <<<':'
}

@test "list shows the order, with a framework, an experiment, or neither" {
  run -0 --separate-stderr cli hooks list
  assert_equal "$output" "$HOOKS/010-a.sh"
  run -0 cli hooks list train pretrain
  assert_equal "$output" "$HOOKS/010-a.sh
$HOOKS/train/pretrain/prepare_experiment.sh"
  [[ ! -e $RECORDS/calls ]]
  run -0 cli hooks list train pretrain --framework other
  assert_equal "$output" "$HOOKS/010-a.sh
$HOOKS/train/pretrain/prepare_experiment.sh
$HOOKS/train/pretrain/other/030-c.sh"
  run -0 cli hooks list --config exp.yaml train pretrain
  assert_equal "$output" "$HOOKS/010-a.sh
$HOOKS/train/pretrain/prepare_experiment.sh
$HOOKS/train/pretrain/dummy/020-b.sh"
}

@test "run prints the control lines, and the rest on stderr" {
  run -0 --separate-stderr cli hooks run train pretrain -- --config exp.yaml
  assert_equal "$output" 'extra.a=--config exp.yaml
extra.b=dummy'
  assert_contains "$stderr" noise
}

@test "--only runs one, also a framework's" {
  run -0 --separate-stderr cli hooks run train pretrain --only 020-b.sh --framework dummy
  assert_equal "$output" extra.b=dummy
  run -0 --separate-stderr cli hooks run train pretrain --only 020-b.sh -- --config exp.yaml
  assert_equal "$output" extra.b=dummy
  run -0 --separate-stderr cli hooks run --only 010-a.sh train pretrain -- x
  assert_equal "$output" extra.a=x
}

@test "mistakes are refused" {
  run -2 --separate-stderr cli hooks run train pretrain --only 010-b.sh
  assert_equal "$stderr" '[primus] ERROR there is no hook 010-b.sh for train pretrain
[primus] did you mean 010-a.sh? see primus-cli hooks list train pretrain, with --framework or --config'
  run -2 cli hooks
  run -2 cli hooks lst
  run -2 cli hooks run train
  run -2 cli hooks list ../x pretrain
  run -2 cli hooks list train pretrain --framework ../../x
  FAKE_PLAN_STATUS=2 run -2 cli hooks list train pretrain --config exp.yaml
}

@test "a failing hook has the launch's status" {
  hook 010-a.sh <<<'exit 5'
  run -4 cli hooks run train pretrain
}
