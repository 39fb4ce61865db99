#!/usr/bin/env bats
# The dry run: everything is shown, nothing is done.

load ../helper
setup() {
  setup_project
  HOOKS="$ROOT/runner/helpers/hooks"
}

@test "nothing runs and nothing is made" {
  hook 010-a.sh <<<'touch "$RECORDS/ran"'
  printf 'touch "$RECORDS/ran"\n' >p.sh
  find "$BATS_TEST_TMPDIR" -not -path '*/bats*' | sort >"$BATS_TEST_TMPDIR/../before"
  run -0 --separate-stderr train --dry-run --patch p.sh --log-file l.txt
  rm "$RECORDS/calls" "$RECORDS/plan_argv"
  find "$BATS_TEST_TMPDIR" -not -path '*/bats*' | sort | diff "$BATS_TEST_TMPDIR/../before" -
  assert_equal "$stderr" ''
}

@test "the printed command, pasted, runs the same launch" {
  local -a odd=('a b' "it's" $'new\nline' '' '*' '$(touch pwn)' '--x=y' '\') got=()
  cli direct --dry-run --run-id r1 --nproc 2 --env 'A=b c' --env $'B=new\nline' -- train pretrain --config exp.yaml "${odd[@]}" >plan.txt
  cd / && bash "$WORK/plan.txt" && cd "$WORK"
  cp "$RECORDS/argv" "$BATS_TEST_TMPDIR/pasted"
  assert_equal "$(recorded_env A)" 'b c'
  assert_equal "$(recorded_env B)" $'new\nline'
  assert_equal "$(recorded_env PWD)" "$WORK"
  assert_equal "$(recorded_env PRIMUS_RUN_ID)" r1
  cli direct --run-id r1 --nproc 2 --env 'A=b c' -- train pretrain --config exp.yaml "${odd[@]}"
  cmp "$RECORDS/argv" "$BATS_TEST_TMPDIR/pasted"
  [[ ! -e pwn ]]
}

@test "hooks are listed in the order in which they would run" {
  hook 020-b.sh <<<':'
  hook 010-a.py <<<''
  hook train/pretrain/zz.sh <<<':'
  hook train/pretrain/dummy/b.sh <<<':'
  hook train/pretrain/dummy/prepare.py <<<''
  printf ':' >p.sh
  train --dry-run --json --patch p.sh >plan.json
  assert_equal "$("$TEST_PYTHON" -c 'import json; print("\n".join(json.load(open("plan.json"))["hooks"]))')" "$HOOKS/010-a.py
$HOOKS/020-b.sh
$HOOKS/train/pretrain/prepare_experiment.sh
$HOOKS/train/pretrain/dummy/b.sh
$HOOKS/train/pretrain/dummy/prepare.py
$HOOKS/train/pretrain/zz.sh
p.sh"
}

@test "each variable is shown with its origin" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  printf 'F=file\n' >f.env
  printf 'env: {L: launcher}\n' >c.yaml
  FAKE_PLAN_ENV='X=from experiment' run -0 train --dry-run --config c.yaml --env O=option --env-file f.env
  assert_contains "$output" "#   TORCH_NCCL_HIGH_PRIORITY: $ROOT/runner/helpers/envs/nvidia.env:"
  assert_contains "$output" '#   L: c.yaml:1
'
  assert_contains "$output" '#   X: /exp.yaml
'
  assert_contains "$output" '#   F: f.env:1
'
  assert_contains "$output" '#   O: --env
'
  assert_contains "$output" '#   NNODES: the launcher
'
  assert_contains "$output" '
  X=from\ experiment \
'
}

@test "warnings of the experiment are shown" {
  FAKE_PLAN_WARNING=$'two\nlines' run -0 train --dry-run
  assert_contains "$output" '# warning: two lines
'
  FAKE_PLAN_WARNING='odd key' run -0 --separate-stderr train
  assert_contains "$stderr" '[primus] WARNING odd key'
}

@test "a wrong experiment fails the dry run too" {
  FAKE_PLAN_STATUS=2 run -2 train --dry-run
}

@test "JSON holds whatever stands in a value" {
  local odd=$'quote " back \\ tab \t newline \n control \001 \037 umlaut ü end'
  cli direct --dry-run --json --env "ODD=$odd" -- train pretrain --config exp.yaml "$odd" >plan.json
  ODD=$odd "$TEST_PYTHON" -c '
import json, os
plan = json.load(open("plan.json", encoding="utf-8"))
assert plan["environment"]["ODD"] == {"value": os.environ["ODD"], "origin": "--env"}, plan["environment"]["ODD"]
assert plan["command"][-1] == os.environ["ODD"]
assert plan["command"][0] == os.environ["PRIMUS_PYTHON"]
assert plan["nproc"]["value"] == plan["environment"]["GPUS_PER_NODE"]["value"]
assert plan["record"].startswith(os.environ["RECORDS"])'
}

@test "every documented variable changes the plan" {
  local variable='' value=''
  local -a variables=()
  mapfile -t variables < <(sed -n 's/^#.*\[\([A-Z_]*\)\]$/\1/p' "$ROOT/runner/commands/direct")
  ((${#variables[@]} >= 9))
  fake nvidia-smi <<<'for i in 0 1 2 3; do echo "GPU $i: NVIDIA H200 (UUID: GPU-$i)"; done'
  plan() { cli direct --dry-run --json "$@" -- train pretrain --config exp.yaml | sed 's/[0-9]\{8\}-[0-9]\{6\}-[0-9a-f]\{6\}/ID/g'; }
  plan >plain.json
  NNODES=2 NODE_RANK=1 MASTER_ADDR=h PRIMUS_RUN_ID=r plan >nodes.json
  for variable in "${variables[@]}" PRIMUS_RUN_MODE PRIMUS_PYTHON PRIMUS_HOOKS_PATH; do
    value=3
    case $variable in
      NNODES) refute cmp -s plain.json nodes.json && continue ;;
      NODE_RANK | MASTER_ADDR)
        env NNODES=9 NODE_RANK=1 MASTER_ADDR=h PRIMUS_RUN_ID=r "$variable=3" "$ROOT/primus-cli" direct --dry-run --json -- train pretrain --config exp.yaml >changed.json
        refute cmp -s nodes.json changed.json
        continue
        ;;
      PRIMUS_LOG_FILE) continue ;; # it changes what is printed where: log_file.bats
      PRIMUS_NUMA) value=1 ;;
      PRIMUS_RUN_MODE) value=single ;;
      PRIMUS_PYTHON)
        cp "$PRIMUS_PYTHON" "$BATS_TEST_TMPDIR/bin/other-python"
        value="$BATS_TEST_TMPDIR/bin/other-python"
        ;;
      PRIMUS_HOOKS_PATH)
        mkdir site
        : >site/1.sh
        value=$PWD/site
        ;;
    esac
    export "$variable=$value"
    plan >changed.json
    ! cmp -s plain.json changed.json || { printf '%s changes nothing\n' "$variable" && return 1; }
    [[ $variable == PRIMUS_PYTHON ]] && PRIMUS_PYTHON=$BATS_TEST_TMPDIR/bin/recorder-python || unset "$variable"
  done
}
