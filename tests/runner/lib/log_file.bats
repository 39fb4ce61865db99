#!/usr/bin/env bats
# The copy of the output in a file.

load ../helper
setup() { setup_project; }

@test "hooks and training are in the file, after what was there, and still on their streams" {
  printf 'before\n' >l.txt
  ROOT="$ROOT" hook 010-a.sh <<<'echo noise; echo to stderr >&2'
  run -0 --separate-stderr train --log-file l.txt
  assert_equal "$output" training
  assert_contains "$stderr" noise
  await grep -q training l.txt
  await grep -q 'to stderr' l.txt
  assert_equal "$(head -n 1 l.txt)" before
  assert_contains "$(<l.txt)" noise
}

@test "the status is that of training" {
  FAKE_RC=17 run -17 train --log-file l.txt
  FAKE_RC=137 run -137 train --log-file l.txt
}

@test "an error before training is in the file when the launcher ends" {
  hook 010-a.sh <<<'exit 7'
  run -4 train --log-file l.txt
  assert_contains "$(<l.txt)" 'exited with status 7'
}

@test "lines are in the file and on stdout while training runs" {
  fake python <<'E2'
[[ $2 == primus.torchrun ]] || exec "${0%/*}/recorder-python" "$@"
echo first
until [[ -e $RECORDS/go ]]; do sleep 0.02; done
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" train --log-file l.txt >out 2>err &
  await grep -q first l.txt
  await grep -q first out
  touch "$RECORDS/go"
  wait $!
}

@test "one stream keeps the order of its lines" {
  fake python <<'E2'
[[ $2 == primus.torchrun ]] || exec "${0%/*}/recorder-python" "$@"
for i in {1..200}; do echo "out $i"; echo "err $i" >&2; done
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" train --quiet --log-file l.txt >both 2>&1
  await grep -q 'err 200' l.txt
  assert_equal "$(<l.txt)" "$(for i in {1..200}; do printf 'out %d\nerr %d\n' "$i" "$i"; done)"
}

@test "training that is ended by a signal to the whole group has its last words in the file" {
  fake python <<'E2'
[[ $2 == primus.torchrun ]] || exec "${0%/*}/recorder-python" "$@"
trap 'echo last words; exit 143' TERM
touch "$RECORDS/started"
for i in {1..500}; do sleep 0.02; done
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" setsid "$ROOT/primus-cli" direct --log-file l.txt -- train pretrain --config exp.yaml >out 2>err &
  local pid=$!
  await test -e "$RECORDS/started"
  kill -TERM -- "-$pid"
  assert_ends "$pid" 143
  await grep -q 'last words' l.txt
}

@test "a full disk does not stop training, and is told" {
  run -0 --separate-stderr train --log-file /dev/full
  assert_equal "$output" training
  assert_contains "$stderr" 'No space left on device'
  assert_equal "$(recorded_env PRIMUS_RUN_MODE)" torchrun
}

@test "a file system that fills up while training runs does not stop it" {
  mkdir small
  mount -t tmpfs -o size=16k tmpfs small 2>/dev/null || skip 'needs the right to mount a tmpfs: run the tests as root'
  fake python <<'E2'
[[ $2 == primus.torchrun ]] || exec "${0%/*}/recorder-python" "$@"
yes 0123456789 | head -c 100000
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/python" run -0 --separate-stderr train --log-file small/l.txt
  umount small
  ((${#output} > 99000))
  assert_contains "$stderr" 'No space left on device'
}

@test "a file that cannot be written is refused before anything runs" {
  run -3 --separate-stderr train --log-file /dev/null/l.txt
  assert_equal "$stderr" '[primus] ERROR the log file /dev/null/l.txt cannot be written
[primus] give primus-cli another --log-file'
  [[ ! -e $RECORDS/calls ]]
}

@test "a missing folder is made; PRIMUS_LOG_FILE is the same setting; a dry run writes nothing" {
  PRIMUS_LOG_FILE='logs/a b.txt' run -0 train --dry-run
  [[ ! -e logs ]]
  PRIMUS_LOG_FILE='logs/a b.txt' run -0 train
  await grep -q training 'logs/a b.txt'
}

@test "no colour codes without a terminal, and none with NO_COLOR" {
  hook 010-a.sh <<<'exit 1'
  run -4 setsid "$ROOT/primus-cli" --debug direct --log-file l.txt -- train pretrain --config exp.yaml </dev/null
  refute_contains "$(<l.txt)$output" $'\e['
}
