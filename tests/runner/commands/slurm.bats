#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034 # dollars are meant as they stand; assert_list reads arrays by their names
# primus-cli slurm, with recorders in the place of Slurm's programs. The real ones: tests/end_to_end/slurm.

load ../helper

setup() {
  setup_project
  fake srun <<'SCRIPT'
[[ $* != --help ]] || exit 0
printf '%s\0' "$@" >"$RECORDS/argv"
exit "${FAKE_RC-0}"
SCRIPT
  fake sbatch <<'SCRIPT'
[[ $* != --help ]] || exit 0
printf '%s\0' "$@" >"$RECORDS/argv"
printf '4711\n'
SCRIPT
  fake scontrol <<'SCRIPT'
exit 1
SCRIPT
  fake scancel <<'SCRIPT'
printf '%s\0' "$@" >"$RECORDS/argv"
SCRIPT
}

# What srun starts on each node, for the arguments after it.
entry() {
  ENTRY=(bash "$ROOT/runner/commands/slurm-entry" --record "$RECORDS/output/local/me/exp/r1/slurm" --run-id r1 -- "$@")
}

TRAIN=(train pretrain --config exp.yaml)

@test "srun gets the step's flags, then the user's in every form, then what runs on each node" {
  entry direct -- "${TRAIN[@]}" 'a b' '' '*'
  cli slurm srun --run-id r1 -N2 -n 2 --mem=4G --exclusive -- "${TRAIN[@]}" 'a b' '' '*'
  assert_argv --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60 -N2 -n 2 --mem=4G --exclusive "${ENTRY[@]}"
}

@test "srun is the default, and its own --wait is its own" {
  entry direct --nproc 2 -- "${TRAIN[@]}"
  cli slurm --run-id=r1 --wait 5 -N2 -- direct --nproc 2 -- "${TRAIN[@]}"
  assert_argv --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60 --wait 5 -N2 "${ENTRY[@]}"
}

@test "only the launcher's own separators are consumed" {
  entry container --image x -- "${TRAIN[@]}" -- --a b
  cli slurm srun --run-id r1 -N1 -- container --image x -- "${TRAIN[@]}" -- --a b
  assert_argv --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60 -N1 "${ENTRY[@]}"
}

@test "the status of srun is returned where no node says more" {
  local rc=''
  for rc in 17 137 143; do
    FAKE_RC=$rc run -"$rc" --separate-stderr cli slurm srun -N2 -- "${TRAIN[@]}"
  done
}

@test "a copy of the batch script runs anywhere, starts the entry by srun, and ends with its status" {
  entry direct -- "${TRAIN[@]}" 'it'\''s "x" $y'
  cli slurm sbatch --run-id r1 -N2 -- "${TRAIN[@]}" 'it'\''s "x" $y' >job 2>/dev/null
  assert_equal "$(<job)" 4711
  local script="$RECORDS/output/local/me/exp/r1/slurm/job.sh"
  assert_argv --parsable -N2 "$script"
  mkdir "$BATS_TEST_TMPDIR/spool"
  cp "$script" "$BATS_TEST_TMPDIR/spool/x"
  cd /
  FAKE_RC=42 SLURM_JOB_ID=4711 SLURM_JOB_NUM_NODES=2 run -42 bash "$BATS_TEST_TMPDIR/spool/x"
  assert_argv --export=ALL --nodes=2 --ntasks=2 --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60 "${ENTRY[@]}"
}

@test "a batch script holds its flags as directives, quoted for sbatch" {
  cli slurm sbatch --run-id r1 -N 2 --comment 'a "b"; touch pwned' -- "${TRAIN[@]}" >/dev/null 2>&1
  run -0 grep '^#SBATCH' "$RECORDS/output/local/me/exp/r1/slurm/job.sh"
  assert_contains "$output" $'\n#SBATCH -N 2\n#SBATCH --comment "a \\"b\\"; touch pwned"'
  assert_contains "$output" '#SBATCH --signal=B:USR2@120'
  refute_contains "$output" '--export'
}

@test "a flag with a line break is refused, for a directive is one line" {
  run -2 --separate-stderr cli slurm sbatch --comment $'a\nb' -- "${TRAIN[@]}"
  assert_contains "$stderr" '[primus] ERROR a flag for sbatch holds a line break: a'
}

@test "an option that is nearly one of ours is refused with its name" {
  run -2 --separate-stderr cli slurm sbatch --swep a=1 -- "${TRAIN[@]}"
  assert_equal "$stderr" $'[primus] ERROR unknown option --swep\n[primus] did you mean --sweep? see primus-cli slurm --help'
}

@test "options of sbatch are refused for srun" {
  run -2 --separate-stderr cli slurm srun --sweep a=1,2 -- "${TRAIN[@]}"
  assert_equal "$stderr" $'[primus] ERROR --sweep is for sbatch, not for srun\n[primus] see primus-cli slurm --help'
}

@test "a mode without its separator is refused" {
  run -2 --separate-stderr cli slurm srun -N1 -- direct "${TRAIN[@]}"
  assert_contains "$stderr" '[primus] ERROR direct needs -- before the train command'
}

@test "words before the separator that are no flags are refused" {
  run -2 --separate-stderr cli slurm srun train pretrain
  assert_contains "$stderr" '[primus] ERROR "train" is no flag of Slurm'
}

@test "an unknown action is refused" {
  run -2 --separate-stderr cli slurm sruun -- "${TRAIN[@]}"
  assert_contains "$stderr" '[primus] ERROR unknown action "sruun"'
}

@test "an experiment with a mistake never reaches Slurm" {
  FAKE_PLAN_STATUS=2 run -2 --separate-stderr cli slurm sbatch -N2 -- "${TRAIN[@]}"
  assert_contains "$stderr" 'exp.yaml:3: unknown key'
  [[ ! -e $RECORDS/argv && ! -e $RECORDS/output ]]
}

@test "nodes and ranks that the flags tell take part in the check" {
  local -a asked=()
  cli slurm srun -N 2-4 --gpus-per-node=mi300x:8 -- "${TRAIN[@]}"
  mapfile -d '' -t asked <"$RECORDS/plan_argv"
  assert_list asked -m primus.plan --nnodes 4 --node-rank 0 --nproc-per-node 8 -- "${TRAIN[@]}"
  cli slurm srun --nodes=2 -- "${TRAIN[@]}"
  mapfile -d '' -t asked <"$RECORDS/plan_argv"
  assert_list asked -m primus.plan --nnodes 1 --node-rank 0 --nproc-per-node 0 -- "${TRAIN[@]}"
}

@test "a secret given by --env is in no argument and in no batch script" {
  cli slurm sbatch --run-id r1 -- direct --env MY_TOKEN=hf_S3CRETs3cret --env=A=b -- "${TRAIN[@]}" >/dev/null 2>&1
  run -1 grep -r S3CRET "$RECORDS/argv" "$RECORDS/output/local/me/exp/r1/slurm/job.sh"
  run -0 tr '\0' '\n' <"$RECORDS/output/local/me/exp/r1/slurm/private"
  assert_equal "$output" MY_TOKEN=hf_S3CRETs3cret
  assert_equal "$(stat -c %a "$RECORDS/output/local/me/exp/r1/slurm/private")" 600
}

without_slurm() { PATH="$BATS_TEST_TMPDIR/only" cli "$@"; }

@test "without Slurm's programs the launch says what is missing" {
  mkdir "$BATS_TEST_TMPDIR/only"
  ln -s "$(type -P bash)" "$(type -P env)" "$BATS_TEST_TMPDIR/only/"
  run -3 --separate-stderr without_slurm slurm srun -- "${TRAIN[@]}"
  assert_equal "$stderr" $'[primus] ERROR there is no srun on PATH\n[primus] install Slurm\'s client tools, or use primus-cli direct'
}

@test "cancel hands the job's number to scancel" {
  cli slurm cancel 4711 2>/dev/null
  assert_argv 4711
}

@test "the node that failed first gives status and cause, whatever srun says" {
  fake srun <<'SCRIPT'
folder="$RECORDS/output/local/me/exp/r1/slurm"
printf 'host=a\nnodes=3\ntime=1700000000000009\nstatus=1\ncause=a consequence\n' >"$folder/node-0-0"
printf 'host=b\nnodes=3\ntime=1700000000000001\nstatus=17\ncause=the cause\n' >"$folder/node-0-1"
printf 'host=c\nnodes=3\n' >"$folder/node-0-2"
exit 143
SCRIPT
  run -17 --separate-stderr cli slurm srun --run-id r1 -N3 -- "${TRAIN[@]}"
  assert_equal "$(last_line "$stderr")" '[primus] ERROR node rank 1 (b): the cause'
}

@test "a node that ended without a word is the cause when the others were only told to end" {
  fake srun <<'SCRIPT'
folder="$RECORDS/output/local/me/exp/r1/slurm"
printf 'host=a\nnodes=2\ntime=1700000000000009\nstatus=143\ncause=told to\n' >"$folder/node-0-0"
printf 'host=b\nnodes=2\n' >"$folder/node-0-1"
exit 143
SCRIPT
  run -137 --separate-stderr cli slurm srun --run-id r1 -N2 -- "${TRAIN[@]}"
  assert_equal "$(last_line "$stderr")" '[primus] ERROR node rank 1 (b) ended without a word: killed, or the node was lost'
}

@test "what an earlier launch of the same run left says nothing about this one" {
  mkdir -p "$RECORDS/output/local/me/exp/r1/slurm"
  printf 'host=a\nnodes=2\ntime=1700000000000009\nstatus=17\ncause=long ago\n' >"$RECORDS/output/local/me/exp/r1/slurm/node-0-1"
  cli slurm srun --run-id r1 -N2 -- "${TRAIN[@]}"
}
