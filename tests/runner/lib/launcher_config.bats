#!/usr/bin/env bats
# The launcher's configuration files, and who wins.

load ../helper
setup() { setup_project; }

options='nproc nnodes node-rank master-addr master-port run-id grace hook-timeout'

# The value that layer number $2 gives to the option $1.
layer_value() {
  case $1 in
    node-rank) printf '%d' "$2" ;;
    master-addr | run-id) printf 'name%d' "$2" ;;
    *) printf '3%d' "$2" ;;
  esac
}

# All options set by layer number $1, as YAML.
layer_yaml() {
  local option=''
  printf 'direct:\n'
  for option in $options; do printf '  %s: %s\n' "$option" "$(layer_value "$option" "$1")"; done
}

# Launches with the given options and expects every setting to be that of layer number $1.
expect_layer() {
  local layer=$1 option=''
  local -A variable=([nproc]=GPUS_PER_NODE [nnodes]=NNODES ["node-rank"]=NODE_RANK ["master-addr"]=MASTER_ADDR ["master-port"]=MASTER_PORT
    ["run-id"]=PRIMUS_RUN_ID [grace]=TORCH_ELASTIC_SHUTDOWN_TIMEOUT ["hook-timeout"]=PRIMUS_HOOK_TIMEOUT)
  train "${@:2}"
  for option in $options; do
    assert_equal "$option=$(recorded_env "${variable[$option]}")" "$option=$(layer_value "$option" "$layer")"
  done
}

@test "each option: default < defaults.yaml < ~/.primus.yaml < --config < environment < command line" {
  local option=''
  local -a words=()
  train
  assert_equal "$(recorded_env NNODES) $(recorded_env NODE_RANK)" '1 0'
  run -1 recorded_env TORCH_ELASTIC_SHUTDOWN_TIMEOUT
  layer_yaml 1 >"$ROOT/runner/defaults.yaml"
  expect_layer 1
  layer_yaml 2 >"$HOME/.primus.yaml"
  expect_layer 2
  layer_yaml 3 | tr - _ | sed 's/_rank: /-rank: /' >c.yaml
  expect_layer 3 --config c.yaml
  export GPUS_PER_NODE=34 NNODES=34 NODE_RANK=4 MASTER_ADDR=name4 MASTER_PORT=34 PRIMUS_RUN_ID=name4 PRIMUS_GRACE=34 PRIMUS_HOOK_TIMEOUT=34
  expect_layer 4 --config c.yaml
  for option in $options; do words+=("--$option" "$(layer_value "$option" 5)"); done
  expect_layer 5 --config c.yaml "${words[@]}"
}

@test "flags: any layer can set one, and take it back" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  has_numa() { cli direct --dry-run "$@" -- train pretrain --config exp.yaml | grep -q numa_binding; }
  refute has_numa
  printf 'direct: {numa: true}\n' >"$HOME/.primus.yaml"
  has_numa
  printf 'direct: {numa: false}\n' >c.yaml
  refute has_numa --config c.yaml
  PRIMUS_NUMA=1 has_numa --config c.yaml
  PRIMUS_NUMA=1 refute has_numa --config c.yaml --no-numa
  printf 'direct: {no-numa: true}\n' >c.yaml
  refute has_numa --config c.yaml
  has_numa --config c.yaml --numa
}

@test "environment: below what is inherited, above the accelerator's defaults" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  printf 'env: {NEW: "a b", OLD: file, TORCH_NCCL_HIGH_PRIORITY: "0", Lower_case: x}\n' >"$HOME/.primus.yaml"
  OLD=inherited run -0 train
  assert_equal "$(recorded_env NEW)" 'a b'
  assert_equal "$(recorded_env OLD)" inherited
  assert_equal "$(recorded_env TORCH_NCCL_HIGH_PRIORITY)" 0
  assert_equal "$(recorded_env Lower_case)" x
  run -0 train --env NEW=option
  assert_equal "$(recorded_env NEW)" option
}

@test "lists replace a lower file's, and come before the command line's" {
  printf 'A=file\nB=file\n' >f.env
  printf 'direct: {env: [A=one, C=one], env-file: f.env}\n' >"$HOME/.primus.yaml"
  B=inherited run -0 train --env C=two
  assert_equal "$(recorded_env A) $(recorded_env B) $(recorded_env C)" 'one inherited two'
}

@test "hooks_path adds a folder beside the file; PRIMUS_HOOKS_PATH wins" {
  mkdir -p site other
  echo 'echo extra.from=site' >site/010-a.sh
  echo 'echo extra.from=other' >other/010-a.sh
  printf 'hooks_path: [site]\n' >c.yaml
  local -a got=()
  run -0 train --config "$PWD/c.yaml"
  recorded_train_args got
  assert_list got --from site --config exp.yaml
  PRIMUS_HOOKS_PATH=$PWD/other run -0 train --config "$PWD/c.yaml"
  recorded_train_args got
  assert_list got --from other --config exp.yaml
}

@test "one Python starts before training, with such files as without" {
  printf 'direct: {nproc: 3}\n' >"$HOME/.primus.yaml"
  run -0 train
  # The canned check is a process of the recorder's own.
  assert_equal "$(<"$RECORDS/calls")" '-m primus.launcher_config
-m primus.plan
-m primus.torchrun'
  assert_equal "$(recorded_env GPUS_PER_NODE)" 3
}

@test "the check sees the layered environment and the whole argument list" {
  printf 'direct: {nproc: 3}\nenv: {A: "from\\nfile"}\n' >"$HOME/.primus.yaml"
  sed -i 's|^plan() {|plan() { env -0 >"$RECORDS/plan_env";|' "$PRIMUS_PYTHON"
  run -0 cli direct --env B=option -- train pretrain --config exp.yaml 'a b' '' $'new\nline'
  local -a got=()
  mapfile -d '' -t got <"$RECORDS/plan_argv"
  assert_list got -m primus.plan --nnodes 1 --node-rank 0 --nproc-per-node 3 -- train pretrain --config exp.yaml 'a b' '' $'new\nline'
  assert_equal "$(recorded_env A plan_env)" $'from\nfile'
  assert_equal "$(recorded_env B plan_env) $(recorded_env GPUS_PER_NODE plan_env)" 'option 3'
}

@test "venv chooses the interpreter that checks and trains" {
  mkdir -p v/bin
  cp "$PRIMUS_PYTHON" v/bin/python
  printf 'direct: {venv: %s}\n' "$PWD/v" >c.yaml
  run -0 train --config c.yaml
  assert_equal "$(recorded_env PRIMUS_PYTHON)" "$PWD/v/bin/python"
}

@test "no reading process is left where no experiment is checked" {
  printf 'direct: {nproc: 1}\n' >"$HOME/.primus.yaml"
  printf 'import os\nprint(os.getpid(), len(os.listdir("/proc/self/fd")))\nimport subprocess\nsubprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="])\n' >s.py
  run -0 --separate-stderr cli direct --single --script s.py -- x
  refute_contains "$output" launcher_config
}

@test "a failing check keeps its status" {
  printf 'direct: {nproc: 1}\n' >"$HOME/.primus.yaml"
  FAKE_PLAN_STATUS=3 run -3 train
  FAKE_PLAN_STATUS=2 run -2 train
}

@test "mistakes are refused with file and line, for any command's section" {
  local row=''
  for row in \
    'direct: {nprocs: 3}|:1: unknown option of direct '"'nprocs'"'|did you mean nproc?' \
    'hooks: {onyl: x}|:1: unknown option of hooks '"'onyl'"'|did you mean only?' \
    'dirct: {nproc: 3}|:1: unknown section '"'dirct'"'|did you mean direct?' \
    'direct: {numa: maybe}|:1: direct.numa is neither true nor false|it is a flag' \
    'direct: {nproc: [1]}|:1: direct.nproc holds no single value|write a text or a number' \
    'direct: 3|:1: direct is no mapping|write it as key: value' \
    'env: {1A: x}|:1: '"'1A'"' is no name of a variable|names are letters, digits and _' \
    'hooks_path: [a:b]|:1: hooks_path holds '"'$PWD/a:b'"', with a colon|colons separate folders: take another name' \
    'direct: {config: x}|:1: unknown option of direct '"'config'"'|' \
    '[1]|:1: a launcher configuration is no mapping|write it as key: value'; do
    printf '%s\n' "${row%%|*}" >c.yaml
    run -2 --separate-stderr train --config c.yaml
    row=${row#*|}
    assert_contains "$stderr" "[primus] ERROR c.yaml${row%%|*}
[primus] ${row#*|}"
  done
  run -2 --separate-stderr train --config none.yaml
  assert_contains "$stderr" '[primus] ERROR none.yaml does not exist'
  [[ ! -e $RECORDS/argv ]]
}

@test "a value that an option refuses is told with its place" {
  printf '\ndirect:\n  nproc: 08\n' >c.yaml
  run -2 --separate-stderr train --config c.yaml
  assert_equal "$stderr" '[primus] ERROR c.yaml:3 is "08", which is no whole number from 1
[primus] correct c.yaml:3 for primus-cli'
}

@test "defaults.yaml as it comes sets nothing and starts no Python" {
  run -0 train
  refute_contains "$(<"$RECORDS/calls")" launcher_config
}
