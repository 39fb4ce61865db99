#!/usr/bin/env bats
# The lock for hooks, and the functions that print control lines.

load ../helper
setup() { setup_project; }

@test "an install hook of four launchers at once installs once" {
  hook 010-install.sh <<'E2'
source "$PRIMUS_ROOT/runner/site.sh"
install() {
  [[ ! -e $RECORDS/installed ]] || return 0
  echo once >>"$RECORDS/count"
  sleep 0.3
  touch "$RECORDS/installed"
}
primus_lock "$RECORDS/shared/lock" 30 install
E2
  local i=''
  for i in 1 2 3 4; do train >"said $i" 2>&1 3>&- & done
  wait
  assert_equal "$(<"$RECORDS/count")" once
  assert_contains "$(cat said*)" "waiting for another launcher, which holds $RECORDS/shared/lock"
}

@test "the wait is limited" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  flock l.lock sleep 30 3>&- &
  local pid=$!
  await test -e l.lock
  run -3 --separate-stderr primus_lock l.lock 1 true
  assert_equal "$stderr" '[primus] waiting for another launcher, which holds l.lock
[primus] ERROR the lock l.lock was not free within 1 s
[primus] if no launcher runs any more, primus_lock needs l.lock removed'
  kill "$pid"
}

@test "the status is that of the command, and what it leaves behind does not hold the lock" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  leave() {
    sleep 30 3>&- &
    echo $! >child
    return 7
  }
  local -i status=0
  primus_lock l.lock 1 leave || status=$?
  assert_equal "$status" 7
  primus_lock l.lock 0 true
  kill "$(<child)"
  run -2 primus_lock l.lock soon true
  run -3 primus_lock /dev/null/lock 1 true
}

@test "a function under set -e stops at its first failure, and sees the caller's variables" {
  cat >caller <<'E2'
set -euo pipefail
source "$1/runner/site.sh"
file='of the caller'
work() {
  echo "$file"
  false
  echo 'not reached'
}
primus_lock l.lock 1 work
echo 'not reached either'
E2
  run -1 "$BASH" caller "$ROOT"
  assert_equal "$output" 'of the caller'
}

@test "control lines are printed as they must be" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  run -0 primus_hook_env A_1 'a "b" = c'
  assert_equal "$output" 'env.A_1=a "b" = c'
  run -0 primus_hook_extra training.data-path '["/a b"]'
  assert_equal "$output" 'extra.training.data-path=["/a b"]'
  run -2 --separate-stderr primus_hook_env 1A x
  assert_equal "$output" ''
  run -2 --separate-stderr primus_hook_extra 'a b' x
  assert_equal "$output" ''
  run -2 --separate-stderr primus_hook_env A $'a\nb'
  assert_equal "$output" ''
  assert_equal "$stderr" '[primus] ERROR primus_hook_env: the value of A holds a newline, which a control line cannot
[primus] write it to a file and hand on its name'
}
