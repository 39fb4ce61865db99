#!/usr/bin/env bats
# The dispatcher.

load helper
setup() { setup_project; }

@test "--version prints the version of the one place that holds it" {
  printf '9.8.7\n' >"$ROOT/VERSION"
  run -0 --separate-stderr cli --version
  assert_equal "$output" 'primus 9.8.7'
  assert_equal "$stderr" ''
}

@test "--help lists every command with its summary, a new one as well" {
  printf '#!/usr/bin/env bash\n# Do nothing at all.\nprintf "[%%s]" "$@"\n' >"$ROOT/runner/commands/nothing"
  run -0 --separate-stderr cli --help
  assert_contains "$output" '  nothing      Do nothing at all.'
  assert_contains "$output" '  direct       Train on this host, in the environment as it is.'
  assert_equal "$stderr" ''
  run -0 cli nothing a 'b c' ''
  assert_equal "$output" '[a][b c][]'
}

@test "an unknown command is refused with the nearest one" {
  run -2 --separate-stderr cli dirct -- train
  assert_equal "$output" ''
  assert_equal "$stderr" '[primus] ERROR unknown command "dirct"
[primus] did you mean direct? see primus-cli --help'
}

@test "no command, an unknown option, a path for a command: usage errors" {
  run -2 --separate-stderr cli
  assert_equal "$stderr" '[primus] ERROR no command given
[primus] see primus-cli --help'
  run -2 --separate-stderr cli --debgu direct
  assert_equal "$stderr" '[primus] ERROR unknown option --debgu
[primus] did you mean --debug? see primus-cli --help'
  run -2 cli ../commands/direct
  run -2 cli ''
  run -2 cli --config
}

@test "options before the command are handed to it" {
  run -0 cli --debug --dry-run direct -- train pretrain --config exp.yaml
  assert_contains "$output" '# The plan of primus-cli direct'
  [[ ! -e $RECORDS/argv ]]
}

@test "it works through a symbolic link, from any folder, with CDPATH set" {
  ln -s "$ROOT/primus-cli" "$BATS_TEST_TMPDIR/bin/link one"
  ln -s "link one" "$BATS_TEST_TMPDIR/bin/link two"
  cd / && CDPATH=/tmp run -0 "$BATS_TEST_TMPDIR/bin/link two" --version
  assert_equal "$output" "primus $(<"$ROOT/VERSION")"
  cd "$ROOT" && CDPATH=/tmp run -0 ./primus-cli --help
}

@test "help COMMAND and COMMAND --help are the header comment of the command" {
  local command='' header=''
  for command in "$ROOT"/runner/commands/*; do
    case ${command##*/} in config | patches | help) continue ;; esac
    header=$(sed -n '2,${/^#/!q;s/^# \{0,1\}//;p}' "$command")
    run -0 --separate-stderr cli "${command##*/}" --help
    assert_equal "$output" "$header"
    run -0 --separate-stderr cli help "${command##*/}"
    assert_equal "$output" "$header"
  done
}

@test "neither --help nor --version starts a Python" {
  local words=''
  for words in --help --version 'direct --help' 'hooks --help' help; do
    # shellcheck disable=SC2086 # words are meant to be split
    run -0 cli $words
  done
  [[ ! -e $RECORDS/calls ]]
}
