#!/usr/bin/env bats
# Completion: the commands' help is its only source.

load helper

setup() {
  setup_project
  PRIMUS_PYTHON="$SOURCE_ROOT/.venv/bin/python"
  mkdir -p "$ROOT/examples/dummy/configs/deep"
  printf 'modules:\n  pre_trainer:\n    framework: torchtitan\n' >"$WORK/my exp.yaml"
  touch "$ROOT/examples/dummy/configs/one.yaml" "$ROOT/examples/dummy/configs/deep/two.yaml" "$ROOT/examples/dummy/configs/note.txt"
  # shellcheck source=/dev/null
  source <(cli completion bash)
}

# Presses TAB after these words, as bash cuts them, and puts into REPLIES what it would offer.
tab() {
  local COMP_CWORD=$#
  local -a COMP_WORDS=(primus-cli "$@")
  _primus_cli primus-cli "${*: -1}" ''
  REPLIES=(${COMPREPLY[@]+"${COMPREPLY[@]}"})
}

# The replies as the project gives them to any shell, without descriptions.
words() {
  local record=''
  REPLIES=()
  while IFS= read -r -d '' record; do REPLIES+=("${record%%$'\t'*}"); done < <(cli completion words "$@")
}

@test "the printed script defines one function and one variable" {
  local before='' after=''
  before=$(env -i PATH="$PATH" bash -c 'compgen -A function; compgen -v; shopt; set +o')
  after=$(env -i PATH="$PATH" ROOT="$ROOT" bash -c 'source <("$ROOT/primus-cli" completion bash); unset ROOT; compgen -A function; compgen -v; shopt; set +o')
  assert_equal "$(diff <(printf '%s\n' "$before") <(printf '%s\n' "$after") | grep '^[<>]' | grep -v 'BASH_EXECUTION_STRING')" '> _primus_cli
> _primus_cli_launcher'
  assert_equal "$(complete -p primus-cli)" 'complete -F _primus_cli primus-cli'
}

@test "only bash and zsh can be asked for" {
  run -2 --separate-stderr cli completion fish
  assert_equal "$stderr" '[primus] ERROR there is a completion for bash and one for zsh, none for "fish"
[primus] primus-cli completion bash, or zsh; see primus-cli completion --help'
  assert_equal "$output" ''
  run -2 --separate-stderr cli completion
  assert_equal "$stderr" '[primus] ERROR there is a completion for bash and one for zsh
[primus] primus-cli completion bash, or zsh; see primus-cli completion --help'
  run -2 cli completion bash zsh
}

@test "commands are completed by listing them, a new one as well" {
  tab dir
  assert_list REPLIES 'direct '
  printf '#!/usr/bin/env bash\n# Do nothing.\n#\n# Usage: primus-cli nothing now|later\n#\n# Options:\n#   --much AMOUNT  how much\n#   --flag         or not\n' >"$ROOT/runner/commands/nothing"
  tab noth
  assert_list REPLIES 'nothing '
  tab nothing ''
  assert_list REPLIES 'now ' 'later '
  tab nothing --
  assert_list REPLIES '--flag ' '--much '
  tab help no
  assert_list REPLIES 'nothing '
}

@test "the launcher's own options come before the command" {
  tab --
  assert_list REPLIES '--config ' '--debug ' '--dry-run ' '--help ' '--quiet ' '--version '
  tab --debug --config 'my\ exp.yaml' dir
  assert_list REPLIES 'direct '
}

@test "the options of every command are those of its help" {
  local command='' name=''
  local -a expected=()
  # shellcheck disable=SC2034 # only the names matter
  local -A kinds=() variables=()
  source "$ROOT/runner/lib/help.sh"
  for command in "$ROOT"/runner/commands/*; do
    kinds=()
    _primus_help_options kinds variables "$command"
    ((${#kinds[@]})) || continue
    mapfile -t expected < <(printf 'w%s\n' "${!kinds[@]}" | LC_ALL=C sort)
    words "${command##*/}" --
    REPLIES=("${REPLIES[@]/#w-- */}")
    assert_equal "$(printf '%s\n' "${REPLIES[@]}" | grep -vx 'w--')" "$(printf '%s\n' "${expected[@]}")"
  done
}

@test "after -- comes train and its stages" {
  tab direct --nproc 2 -- ''
  assert_list REPLIES 'train '
  tab direct -- train ''
  assert_list REPLIES 'pretrain ' 'posttrain '
  tab direct -- train post
  assert_list REPLIES 'posttrain '
}

@test "what may follow -- is what the usage says" {
  cat >"$ROOT/runner/commands/box" <<'E2'
#!/usr/bin/env bash
# Run in a box.
#
# Usage: primus-cli box [options] -- [options of direct --] train pretrain|posttrain --config FILE [key=value ...]
#        primus-cli box --clean
#
# Options:
#   --image-with-a-long-name IMAGE
#                          what is in it
#   --clean                throw it away
E2
  cat >"$ROOT/runner/commands/queue" <<'E2'
#!/usr/bin/env bash
# Queue up.
#
# Usage: primus-cli queue [now|later] [options] [Queue's flags] -- [direct|box [options] --] train ...
#        primus-cli queue status|cancel RUN
#
# Options:
#   --wait                 until it is done
E2
  tab queue ''
  assert_list REPLIES 'now ' 'later ' 'status ' 'cancel '
  tab queue later -N2 --mem = 4 --
  assert_list REPLIES '-- ' '--wait '
  tab queue now -N2 -- ''
  assert_list REPLIES 'direct ' 'box ' 'train '
  tab queue now -- direct --npr
  assert_list REPLIES '--nproc '
  tab queue now -- box --image-with-a-long-name x -- ''
  assert_list REPLIES 'train '
  tab box --cl
  assert_list REPLIES '--clean '
  tab box -- --npr
  assert_list REPLIES '--nproc '
  tab box -- --nproc 8 -- ''
  assert_list REPLIES 'train '
  tab box -- --nproc 8 -- train pretrain --config 'my\ exp.yaml' device = c
  assert_list REPLIES 'cpu ' 'cuda '
  assert_equal "$(cli completion words box --im | tr '\0' '\n')" $'w--image-with-a-long-name\twhat is in it'
}

@test "subcommands of hooks, patches and config" {
  tab hooks ''
  assert_list REPLIES 'list ' 'run '
  tab patches l
  assert_list REPLIES 'list '
  tab patches list --
  assert_list REPLIES '--framework ' '--json ' '--help '
  tab config s
  assert_list REPLIES 'show ' 'schema '
  tab config show --format ''
  assert_list REPLIES 'yaml ' 'json '
  tab config new --framework torchtitan --model llama3_debugmodel.
  assert_list REPLIES 'llama3_debugmodel.yaml '
}

@test "names of hooks, their groups and frameworks" {
  hook train/pretrain/mine/010-own.sh <<<':'
  tab hooks list tr
  assert_list REPLIES 'train '
  tab hooks list train ''
  assert_list REPLIES 'posttrain ' 'pretrain '
  tab hooks list train pretrain --framework tor
  assert_list REPLIES 'torchtitan '
  tab hooks list train pretrain --framework = tor
  assert_list REPLIES 'torchtitan '
  tab hooks run train pretrain --only 010
  assert_list REPLIES '010-own.sh '
  tab hooks run train pretrain --framework torchtitan --only 010
  assert_list REPLIES
}

@test "experiments are the examples and the files here, folders go on" {
  mkdir sub
  touch plain.txt other.yml
  tab direct -- train pretrain --config ''
  assert_list REPLIES 'my exp.yaml' other.yml sub "$ROOT/examples/dummy/configs/deep/two.yaml" "$ROOT/examples/dummy/configs/one.yaml"
  tab direct -- train pretrain --config my
  assert_list REPLIES 'my exp.yaml'
  tab direct -- train pretrain --config 'my\ e'
  assert_list REPLIES 'my exp.yaml'
  tab direct -- train pretrain --config "'my e"
  assert_list REPLIES 'my exp.yaml'
  tab direct -- train pretrain --config = '"my e'
  assert_list REPLIES 'my exp.yaml'
  tab direct -- train pretrain --config = my
  assert_list REPLIES 'my exp.yaml'
  cd "$ROOT"
  tab direct -- train pretrain --config exa
  assert_list REPLIES examples/dummy/configs/deep/two.yaml examples/dummy/configs/one.yaml
  tab direct --config exa
  assert_list REPLIES examples
}

@test "paths: any file, folders only, the home folder, hidden ones when asked for" {
  mkdir -p folder "$HOME/in home" .hidden
  touch file.env
  tab direct --env-file f
  assert_list REPLIES file.env folder
  tab direct --venv f
  assert_list REPLIES folder
  tab direct --venv '~/in\ h'
  assert_list REPLIES '~/in home'
  tab direct --venv .
  assert_list REPLIES .hidden
  touch a=b.env
  tab direct -- train pretrain --export-config a = b
  assert_list REPLIES b.env
  tab direct -- train pretrain --export-config = a = b
  assert_list REPLIES b.env
  tab direct --env-file nothing
  assert_list REPLIES
}

@test "keys of the experiment's framework, section by section, in both forms" {
  tab direct -- train pretrain --config 'my\ exp.yaml' tr
  assert_contains "${REPLIES[*]}" 'training.steps='
  assert_equal "$(printf '%s\n' "${REPLIES[@]}" | grep -c '^training\.[a-z_]*[=.]$')" "${#REPLIES[@]}"
  tab direct -- train pretrain --config 'my\ exp.yaml' --training.st
  assert_list REPLIES '--training.steps '
  tab direct -- train pretrain --config 'my\ exp.yaml' --lr
  assert_contains "${REPLIES[*]}" '--lr_scheduler.warmup_steps '
  tab direct -- train pretrain --config 'my\ exp.yaml' o
  assert_contains "${REPLIES[*]}" 'optimizer.lr='
  tab direct -- train pretrain --config 'my\ exp.yaml' c
  assert_contains "${REPLIES[*]}" 'compile.'
  refute_contains "${REPLIES[*]}" 'compile.enable'
  tab direct -- train pretrain --config 'my\ exp.yaml' exp_
  assert_list REPLIES 'exp_name='
  tab config explain --config 'my\ exp.yaml' training.st
  assert_list REPLIES 'training.steps '
}

@test "values after the equals sign, and after a key with a space" {
  tab direct -- train pretrain --config 'my\ exp.yaml' device =
  assert_list REPLIES 'auto ' 'cpu ' 'cuda '
  tab direct -- train pretrain --config 'my\ exp.yaml' device = c
  assert_list REPLIES 'cpu ' 'cuda '
  tab direct -- train pretrain --config 'my\ exp.yaml' --compile.enable =
  assert_list REPLIES 'true ' 'false '
  tab direct -- train pretrain --config 'my\ exp.yaml' --device a
  assert_list REPLIES 'auto '
  tab direct -- train pretrain --config = 'my\ exp.yaml' training.steps = 1
  assert_list REPLIES
}

@test "options of train; without an experiment no keys are known" {
  tab direct -- train pretrain --
  assert_list REPLIES '--config ' '--backend_path ' '--data_path ' '--export_config ' '--allow-unknown ' '--debug '
  tab direct -- train pretrain training.
  assert_list REPLIES
  printf 'modules: {' >broken.yaml
  tab direct -- train pretrain --config broken.yaml d
  assert_list REPLIES 'device='
}

@test "a backend without a schema has the keys that Primus owns" {
  printf 'modules: {pre_trainer: {framework: elsewhere}}' >e.yaml
  tab direct -- train pretrain --config e.yaml stderr
  assert_list REPLIES 'stderr_sink_level='
}

@test "no Python is started for what bash knows" {
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/recorder-python"
  tab direct --n
  tab hooks list train ''
  tab direct -- train ''
  tab direct --config ''
  tab help ''
  [[ ! -e $RECORDS/calls ]]
}

@test "without an interpreter, with a broken one, in a strange place: silence" {
  local python=''
  fake broken-python <<<'echo noise; echo noise >&2; exit 5'
  for python in /nowhere/python "$BATS_TEST_TMPDIR/bin/broken-python"; do
    PRIMUS_PYTHON=$python run -0 --separate-stderr tab direct -- train pretrain --config e.yaml tr
    assert_equal "$output$stderr" ''
  done
  tab nonsense ''
  assert_list REPLIES
  tab ../../commands/direct --n
  assert_list REPLIES
  tab direct -- unknown words ''
  assert_list REPLIES
}

@test "what lies in the working directory is not run" {
  local name=''
  mkdir -p primus/tools
  for name in json yaml primus/__init__ primus/tools/completion sitecustomize; do
    printf 'open("%s", "w").close()\n' "$BATS_TEST_TMPDIR/pwned" >"$name.py"
  done
  tab direct -- train pretrain --config 'my\ exp.yaml' --device a
  assert_list REPLIES 'auto '
  touch '$(touch pwn)' '`touch pwn`'
  tab direct -- train pretrain --config '$(touch pwn)' tr
  tab direct -- train pretrain --config '`touch pwn`' tr
  tab direct '$(touch pwn)' ''
  [[ ! -e $BATS_TEST_TMPDIR/pwned && ! -e pwn ]]
}

@test "the settings of the shell it runs in neither matter nor change" {
  local setting='' before='' after=''
  for setting in 'set -u' 'set -f' 'set -e' 'shopt -s nullglob' 'shopt -s failglob' 'shopt -s nocasematch' \
    'shopt -s extglob dotglob' 'IFS=,' 'set -o posix' 'trap "echo debug" DEBUG' 'set -x' 'GLOBIGNORE=*' 'CDPATH=/tmp'; do
    run -0 --separate-stderr bash -c '
      source <("$1/primus-cli" completion bash)
      '"$setting"'
      COMP_WORDS=(primus-cli direct --nn) COMP_CWORD=2
      _primus_cli primus-cli --nn direct
      trap - DEBUG
      { set +x; } 2>/dev/null
      printf "<%s>" "${COMPREPLY[@]}"
      ' bash "$ROOT"
    assert_equal "$setting: ${output##*debug$'\n'}" "$setting: <--nnodes >"
  done
}

@test "a launcher in an odd place is found by the script it printed" {
  cd /
  tab direct --nn
  assert_list REPLIES '--nnodes '
  assert_equal "$_primus_cli_launcher" "$ROOT/primus-cli"
}
