#!/usr/bin/env bats
# Signals and exit statuses of a launch.

load ../helper
setup() {
  setup_project
  HOOKS="$ROOT/runner/helpers/hooks"
}

launch() {
  "$ROOT/primus-cli" direct "$@" -- train pretrain --config exp.yaml >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  launcher=$!
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# Every process that was started in this test: its environment says so.
left_over() {
  local records=$RECORDS process=''
  for process in /proc/[0-9]*; do
    if env -u RECORDS grep -zqxF "RECORDS=$records" "$process/environ" 2>/dev/null; then
      tr '\0' ' ' <"$process/cmdline" 2>/dev/null
    fi
  done
}

none_left_over() { [[ -z $(left_over) ]]; }

@test "the search for processes that are left over finds one" {
  sleep 30 3>&- &
  await refute none_left_over
  kill "$!"
  await none_left_over
}

@test "each signal sent to the launcher reaches training, and its status comes back" {
  local signal=''
  local -a options=()
  for options in '' '--log-file l.txt'; do
    for signal in TERM INT HUP USR1 USR2; do
      rm -f "$RECORDS/started" "$RECORDS/signals"
      # INT is ignored in what a script puts into the background.
      # shellcheck disable=SC2086 # the options are meant to be split
      FAKE_SLEEP=30 python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$ROOT/primus-cli" direct $options -- train pretrain --config exp.yaml >/dev/null 2>&1 3>&- &
      launcher=$!
      await test -e "$RECORDS/started"
      kill -s "$signal" "$launcher"
      assert_ends "$launcher" "$((128 + $(kill -l "$signal")))"
      assert_equal "$(<"$RECORDS/signals")" "$signal"
    done
  done
  await none_left_over
}

@test "with NUMA binding and a log file the signal reaches training too" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-00000000)"'
  FAKE_SLEEP=30 launch --numa --log-file l.txt
  await test -e "$RECORDS/started"
  kill -TERM "$launcher"
  assert_ends "$launcher" 143
  assert_equal "$(<"$RECORDS/signals")" TERM
  await none_left_over
}

@test "a signal during a hook stops the hook with what it started, and the launch" {
  local place=''
  for place in 010-a.sh train/pretrain/dummy/010-a.sh; do
    rm -f "$RECORDS"/*
    hook "$place" <<<'sleep 60 & echo $! >"$RECORDS/child"; echo $$ >"$RECORDS/hook"; wait'
    launch
    await test -s "$RECORDS/hook"
    kill -TERM "$launcher"
    assert_ends "$launcher" 143
    await is_gone "$(<"$RECORDS/hook")"
    await is_gone "$(<"$RECORDS/child")"
    [[ ! -e $RECORDS/argv ]]
    assert_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/err")" '[primus] ERROR ended by signal TERM before training began, node rank 0'
    rm "$HOOKS/$place"
  done
  await none_left_over
}

@test "a signal to the whole process group during a hook is the same, as Ctrl-C sends it" {
  hook 010-a.sh <<<'echo $$ >"$RECORDS/hook"; sleep 60'
  # A shell of its own that leads a group, with INT as a terminal's programs have it.
  setsid python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  launcher=$!
  await test -s "$RECORDS/hook"
  kill -INT -- "-$launcher"
  assert_ends "$launcher" 130
  await is_gone "$(<"$RECORDS/hook")"
  await none_left_over
}

@test "a hook that ignores TERM is killed in the end" {
  hook 010-a.sh <<<'trap "" TERM; echo $$ >"$RECORDS/hook"; while :; do sleep 0.1; done'
  sed -i 's/--kill-after=10/--kill-after=1/' "$ROOT/runner/lib/hook_process.sh"
  launch
  await test -s "$RECORDS/hook"
  kill -TERM "$launcher"
  assert_ends "$launcher" 143
  await is_gone "$(<"$RECORDS/hook")"
}

@test "a signal while the experiment is checked ends the launch" {
  fake python <<'E2'
touch "$RECORDS/checking"
sleep 5
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" launch
  await test -e "$RECORDS/checking"
  kill -TERM "$launcher"
  assert_ends "$launcher" 143
}

@test "what ignores HUP goes on ignoring it, as nohup wants" {
  FAKE_SLEEP=1 nohup "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml >/dev/null 2>&1 3>&- &
  launcher=$!
  await test -e "$RECORDS/started"
  kill -HUP "$launcher"
  wait "$launcher"
  [[ ! -e $RECORDS/signals ]]
}

@test "--grace is handed on to torchrun" {
  run -0 train --grace 60
  assert_equal "$(recorded_env TORCH_ELASTIC_SHUTDOWN_TIMEOUT)" 60
  PRIMUS_GRACE=70 run -0 train
  assert_equal "$(recorded_env TORCH_ELASTIC_SHUTDOWN_TIMEOUT)" 70
  run -2 --separate-stderr train --grace soon
  assert_equal "$stderr" '[primus] ERROR --grace is "soon", which is no whole number of seconds
[primus] correct it for primus-cli direct'
}
