#!/usr/bin/env bats
# The hooks: which run, in which order, what they say and how they fail.

load ../helper
setup() {
  setup_project
  HOOKS="$ROOT/runner/helpers/hooks"
}

@test "global, command and framework hooks run in byte order, prepare.py last" {
  local name=''
  for name in 010-a.sh 010-B.sh 9-x.py train/pretrain/aaa.sh train/pretrain/zzz.py train/pretrain/dummy/b.sh \
    train/pretrain/dummy/A.sh train/pretrain/other/no.sh train/posttrain/no.sh; do
    case $name in
      *.py) hook "$name" <<<"print('env.ORDER_${name//[!A-Za-z0-9]/_}=1', flush=True); print('extra.order=$name')" ;;
      *) hook "$name" <<<"echo extra.order=$name" ;;
    esac
  done
  hook train/pretrain/dummy/prepare.py <<<"print('extra.order=prepare')"
  hook train/pretrain/dummy/not-run.py <<<"raise SystemExit(1)"
  run -0 train
  local -a got=()
  recorded_train_args got
  assert_list got --order 010-B.sh --order 010-a.sh --order 9-x.py --order train/pretrain/aaa.sh \
    --order train/pretrain/dummy/A.sh --order train/pretrain/dummy/b.sh --order prepare --order train/pretrain/zzz.py \
    --config exp.yaml
  assert_equal "$(recorded_env PRIMUS_HOOK_EXTRAS)" 16
}

@test "hooks get the arguments after the train command, the layered environment and an empty stdin" {
  hook 010-a.sh <<<'printf "[%s]" "$@" >"$RECORDS/args"; cat >"$RECORDS/stdin"; printf "%s" "$NNODES $GPUS_PER_NODE $NODE_RANK $PRIMUS_PLAN_FRAMEWORK $PRIMUS_PLAN_CONFIG $PRIMUS_SHELL_API $PRIMUS_PYTHON" >"$RECORDS/hook-env"'
  run -0 cli direct --nproc 3 -- train pretrain --config exp.yaml 'a b' '' <<<'text'
  assert_equal "$(<"$RECORDS/args")" '[--config][exp.yaml][a b][]'
  assert_equal "$(<"$RECORDS/stdin")" ''
  assert_equal "$(<"$RECORDS/hook-env")" "1 3 0 dummy /exp.yaml 1 $PRIMUS_PYTHON"
}

@test "training keeps the launcher's stdin" {
  hook 010-a.sh <<<'cat >/dev/null'
  printf 'import sys\nprint(sys.stdin.read())\n' >s.py
  run -0 --separate-stderr cli direct --single --script s.py -- x <<<'for training'
  assert_equal "$output" 'for training'
}

@test "linked hooks run, folders, other names and hidden files do not" {
  printf 'echo extra.linked=1\n' >"$BATS_TEST_TMPDIR/elsewhere"
  ln -s "$BATS_TEST_TMPDIR/elsewhere" "$HOOKS/050-link.sh"
  mkdir "$HOOKS/060-folder.sh"
  hook 070-text.txt <<<'echo extra.no=1'
  hook .080-hidden.sh <<<'echo extra.no=1'
  run -0 train
  local -a got=()
  recorded_train_args got
  assert_list got --linked 1 --config exp.yaml
}

@test "a link to nowhere is a failing hook" {
  ln -s /nowhere/at/all "$HOOKS/050-link.sh"
  run -4 --separate-stderr train
  assert_equal "$stderr" "[primus] ERROR hook $HOOKS/050-link.sh is no readable file (or a link to nowhere)
[primus] mend or remove 050-link.sh"
}

@test "each later hook sees what an earlier one set, also across the dispatcher" {
  hook 010-a.sh <<<'echo env.A=1'
  hook 020-b.py <<<"import os; print('env.B=' + os.environ['A'] + '2')"
  hook train/pretrain/dummy/1.sh <<<'echo "env.C=${B}3"'
  hook train/pretrain/dummy/2.sh <<<'echo "env.D=${C}4"'
  hook train/pretrain/z.sh <<<'echo "env.E=${D}5"'
  run -0 train
  assert_equal "$(recorded_env E)" 12345
}

@test "values are the rest of the line, verbatim" {
  hook 010-a.sh <<'E2'
cat <<'LINES'
env.QUOTES="a" 'b' \c $HOME $(touch pwn) `touch pwn`
env.EQUALS=a=b=c
env.SPACES=  two  
env.EMPTY=
extra.train_data_path=["/a b/x", "/c"]
extra.empty=
extra.equation=a=b=c
extra.a.b-c_d=-1
LINES
printf 'extra.last=no newline at the end'
E2
  run -0 train
  local -a got=()
  recorded_train_args got
  assert_list got --train_data_path '["/a b/x", "/c"]' --empty '' --equation a=b=c --a.b-c_d -1 --last 'no newline at the end' --config exp.yaml
  assert_equal "$(recorded_env QUOTES)" "\"a\" 'b' \\c \$HOME \$(touch pwn) \`touch pwn\`"
  assert_equal "$(recorded_env EQUALS)" a=b=c
  assert_equal "$(recorded_env SPACES)" '  two  '
  assert_equal "$(recorded_env EMPTY)" ''
  [[ ! -e pwn ]]
}

@test "noise is no protocol, and goes to stderr; stderr never is protocol" {
  hook 010-a.sh <<'E2'
echo environment.x=1
echo 'see env.X=1'
echo ' env.X=1'
echo 'env. variables are set'
echo env.X=1 >&2
echo extra.x=1 >&2
E2
  run -0 --separate-stderr train
  assert_equal "$output" training
  local -a got=()
  recorded_train_args got
  assert_list got --config exp.yaml
  refute recorded_env X
  # The two streams are not in step.
  local line=''
  for line in environment.x=1 'see env.X=1' ' env.X=1' 'env. variables are set'; do
    assert_contains "$stderr" "$line"
  done
}

@test "a malformed control line is an error that names the hook and the line" {
  local line=''
  for line in env.1X=1 env.X 'env.A B=1' env.=1 'env.a[$(touch pwn)]=1' 'extra.a b=1' extra.x extra.=1 extra.-x=1; do
    hook 010-a.sh <<<"echo one; echo env.GOOD=1; printf '%s\n' '$line'; echo four"
    run -4 --separate-stderr train
    assert_contains "$stderr" "ERROR hook $HOOKS/010-a.sh, line 3 of its output: not a control line: ${line%%=*}
[primus] ${line%%.*}.NAME=VALUE is one; other text must not begin with ${line%%.*}. in 010-a.sh"
    [[ ! -e $RECORDS/argv && ! -e pwn ]]
  done
}

@test "names that bash keeps for itself are refused" {
  hook 010-a.sh <<<'echo env.UID=0'
  run -4 --separate-stderr train
  assert_contains "$stderr" "[primus] ERROR hook $HOOKS/010-a.sh, line 1 of its output, sets UID, which bash keeps for itself
[primus] take another name in 010-a.sh"
}

@test "a failing hook stops the launch on any node and names itself" {
  hook 010-a.sh <<<'echo to stdout; echo to stderr >&2; exit 7'
  hook 020-b.sh <<<'touch "$RECORDS/ran"'
  local rank=''
  for rank in 0 3; do
    run -4 --separate-stderr train --nnodes 4 --node-rank "$rank" --master-addr 127.0.0.1 --run-id x
    assert_contains "$stderr" 'to stdout'
    assert_contains "$stderr" 'to stderr'
    assert_contains "$stderr" "[primus] ERROR hook $HOOKS/010-a.sh exited with status 7, node rank $rank
[primus] its last lines stand above; run it alone with: primus-cli hooks run train pretrain --only 010-a.sh -- [arguments]"
    [[ ! -e $RECORDS/argv && ! -e $RECORDS/ran ]]
  done
}

@test "with --quiet the last lines of a failing hook are shown, and no others" {
  hook 010-a.sh <<<'seq 1 100; exit 1'
  hook 005-a.sh <<<'seq 1 100'
  run -4 --separate-stderr train --quiet
  assert_equal "${stderr%%'[primus]'*}" "$(seq 81 100)"$'\n'
}

@test "a framework hook that fails is named once, and hooks after it do not run" {
  hook train/pretrain/dummy/010-a.sh <<<'exit 9'
  hook train/pretrain/dummy/020-b.sh <<<'touch "$RECORDS/ran"'
  hook train/pretrain/z.sh <<<'touch "$RECORDS/ran"'
  run -4 --separate-stderr train --quiet
  assert_equal "$stderr" "[primus] ERROR hook $HOOKS/train/pretrain/dummy/010-a.sh exited with status 9, node rank 0
[primus] its last lines stand above; run it alone with: primus-cli hooks run train pretrain --only 010-a.sh -- [arguments]"
  [[ ! -e $RECORDS/argv && ! -e $RECORDS/ran ]]
}

@test "a hook that exits with 3 says that the host lacks something" {
  hook 010-a.sh <<<'exit 3'
  run -3 train
  rm "$HOOKS/010-a.sh"
  hook train/pretrain/dummy/010-a.sh <<<'exit 3'
  run -3 train
  [[ ! -e $RECORDS/argv ]]
}

@test "a hook killed by a signal is a failed hook" {
  hook 010-a.sh <<<'kill -KILL $$'
  run -4 --separate-stderr train --quiet
  assert_contains "$stderr" "[primus] ERROR hook $HOOKS/010-a.sh was killed by signal KILL (status 137), node rank 0"
  refute_contains "$stderr" Killed
}

@test "a hook that leaves a background child holding its stdout does not hold up the launch" {
  hook 010-a.sh <<<'sleep 60 2>/dev/null & echo $! >"$RECORDS/child"; echo env.DONE=1'
  local -i before=$SECONDS
  run -0 train
  kill "$(<"$RECORDS/child")"
  ((SECONDS - before < 20))
  assert_equal "$(recorded_env DONE)" 1
}

@test "a hook that prints 100 MB is relayed whole" {
  hook 010-a.sh <<<'yes 0123456789012345678901234567890123456789012345678901234567890123456789012345678 | head -c 104857600; echo; echo env.DONE=1'
  train 2>"$BATS_TEST_TMPDIR/err" >/dev/null
  (($(stat -c %s "$BATS_TEST_TMPDIR/err") > 104857600))
  assert_equal "$(recorded_env DONE)" 1
}

@test "lines are relayed while the hook runs" {
  hook 010-a.sh <<<'echo first; until [[ -e $RECORDS/go ]]; do sleep 0.02; done'
  train 2>"$BATS_TEST_TMPDIR/err" >/dev/null &
  await grep -q first "$BATS_TEST_TMPDIR/err"
  touch "$RECORDS/go"
  wait $!
}

@test "a Python hook's lines are relayed while it runs" {
  hook 010-a.py <<'E2'
import os, pathlib, time
print("first")
while not pathlib.Path(os.environ["RECORDS"], "go").exists():
    time.sleep(0.02)
E2
  train 2>"$BATS_TEST_TMPDIR/err" >/dev/null &
  await grep -q first "$BATS_TEST_TMPDIR/err"
  touch "$RECORDS/go"
  wait $!
}

@test "a hook that takes too long is stopped, with what it started" {
  hook 010-a.sh <<<'sleep 61 & echo $! >"$RECORDS/child"; wait'
  run -4 --separate-stderr train --quiet --hook-timeout 1
  assert_contains "$stderr" "ERROR hook $HOOKS/010-a.sh took longer than PRIMUS_HOOK_TIMEOUT, 1 s, and was stopped, node rank 0"
  await is_gone "$(<"$RECORDS/child")"
  PRIMUS_HOOK_TIMEOUT=x run -2 train
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

@test "the time limit is each framework hook's own, not that of the dispatcher" {
  hook train/pretrain/dummy/1.sh <<<'sleep 0.7'
  hook train/pretrain/dummy/2.sh <<<'sleep 0.7'
  run -0 train --hook-timeout 1
}

@test "a site's hooks are merged by name, ours first on a tie" {
  local site="$BATS_TEST_TMPDIR/site: hooks"
  site=${site/:/}
  mkdir -p "$site/train/pretrain/dummy" "$BATS_TEST_TMPDIR/second"
  hook 010-a.sh <<<'echo extra.order=ours-010'
  hook train/pretrain/dummy/010-a.sh <<<'echo extra.order=ours-dummy'
  hook train/pretrain/dummy/prepare.py <<<'print("extra.order=ours-prepare")'
  echo 'echo extra.order=site-005' >"$site/005-a.sh"
  echo 'echo extra.order=site-010' >"$site/010-a.sh"
  echo 'echo extra.order=second-010' >"$BATS_TEST_TMPDIR/second/010-a.sh"
  echo 'echo extra.order=site-dummy' >"$site/train/pretrain/dummy/010-a.sh"
  echo 'print("extra.order=site-prepare")' >"$site/train/pretrain/dummy/prepare.py"
  PRIMUS_HOOKS_PATH="$site::$BATS_TEST_TMPDIR/second:/nowhere" run -0 train
  local -a got=()
  recorded_train_args got
  assert_list got --order site-005 --order ours-010 --order site-010 --order second-010 --order ours-dummy --order site-dummy \
    --order ours-prepare --order site-prepare --config exp.yaml
}

@test "a hook that sets PATH serves training and does not break the launcher" {
  hook 010-a.sh <<<'echo env.PATH=/nonexistent'
  hook train/pretrain/dummy/1.sh <<<'echo env.LATER=1'
  fake python <<'E2'
PATH=$REAL_PATH exec "${0%/*}/recorder-python" "$@"
E2
  sed -i '1s,.*,#!/bin/bash,' "$BATS_TEST_TMPDIR/bin/python" "$BATS_TEST_TMPDIR/bin/recorder-python"
  printf 'printf "%%s" "$PATH" >"$RECORDS/path"\n' | sed -i '1r /dev/stdin' "$BATS_TEST_TMPDIR/bin/python"
  REAL_PATH=$PATH PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" run -0 train
  assert_equal "$(<"$RECORDS/path")" /nonexistent
  assert_equal "$(recorded_env LATER)" 1
  [[ -d $(recorded_env PRIMUS_RUN_DIR) ]]
}

@test "a hook that sets PRIMUS_PYTHON chooses the interpreter of the launch" {
  mkdir -p venv/bin
  cp "$PRIMUS_PYTHON" venv/bin/python
  hook 010-a.sh <<<"echo env.PRIMUS_PYTHON=$PWD/venv/bin/python"
  hook 020-b.sh <<<'echo "env.SEEN=$PRIMUS_PYTHON"'
  run -0 train
  assert_equal "$(recorded_env SEEN)" "$PWD/venv/bin/python"
  assert_equal "$(recorded_env PRIMUS_PYTHON)" "$PWD/venv/bin/python"
  hook 010-a.sh <<<"echo env.PRIMUS_PYTHON=/none/python"
  rm "$HOOKS/020-b.sh"
  run -3 --separate-stderr train
  assert_contains "$stderr" 'PRIMUS_PYTHON=/none/python: there is no interpreter /none/python'
}

@test "a hook may extend PYTHONPATH; the project stays on it, and nothing empty" {
  hook 010-a.sh <<<'echo "env.PYTHONPATH=/opt/mylib:$OTHER"'
  run -0 train
  assert_equal "$(recorded_env PYTHONPATH)" "$ROOT:/opt/mylib"
}

@test "hooks cannot change what the launch has decided, nor what --env says" {
  hook 010-a.sh <<<'echo env.NNODES=7; echo env.KEPT=hook; echo env.GIVEN=hook'
  KEPT=inherited run -0 train --env KEPT --env GIVEN=option
  assert_equal "$(recorded_env NNODES)" 1
  assert_equal "$(recorded_env KEPT)" inherited
  assert_equal "$(recorded_env GIVEN)" option
}

@test "the dispatcher run by itself asks for the framework, and prints the control lines" {
  hook train/pretrain/dummy/1.sh <<<'echo noise; echo env.A=1'
  hook train/pretrain/dummy/prepare.py <<<'import os; print("extra.a=" + os.environ["A"])'
  run -0 --separate-stderr bash "$HOOKS/train/pretrain/prepare_experiment.sh" --config exp.yaml
  assert_equal "$(grep -v '^hook\.done=' <<<"$output")" 'env.A=1
extra.a=1'
}

@test "execute_hooks.sh run by itself prints the control lines of all hooks" {
  hook 010-a.sh <<<'echo noise; echo env.A=1'
  hook train/pretrain/dummy/1.sh <<<'echo "extra.a=$A"'
  run -0 --separate-stderr "$ROOT/runner/helpers/execute_hooks.sh" train pretrain --config exp.yaml
  assert_equal "$output" 'env.A=1
extra.a=1'
  run -2 "$ROOT/runner/helpers/execute_hooks.sh" train
  run -2 "$ROOT/runner/helpers/execute_hooks.sh" ../train pretrain
}

@test "a group without hooks of its own has the global ones" {
  hook 010-a.sh <<<'echo env.A=1'
  run -0 --separate-stderr "$ROOT/runner/helpers/execute_hooks.sh" other thing
  assert_equal "$output" 'env.A=1'
}
