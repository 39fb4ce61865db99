#!/usr/bin/env bats
# The environment of hooks and training: what is in it, and who wins.

load ../helper
setup() { setup_project; }

@test "each layer wins over those below it" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  printf 'V=accelerator\n' >"$ROOT/runner/helpers/envs/nvidia.env"
  run -0 train
  assert_equal "$(recorded_env V)" accelerator
  printf 'env: {V: launcher}\n' >"$HOME/.primus.yaml"
  run -0 train
  assert_equal "$(recorded_env V)" launcher
  export V=inherited
  run -0 train
  assert_equal "$(recorded_env V)" inherited
  export FAKE_PLAN_ENV=V=experiment
  run -0 train
  assert_equal "$(recorded_env V)" experiment
  hook 010-a.sh <<<'echo "saw $V" >>"$RECORDS/saw"; echo env.V=hook'
  run -0 train
  assert_equal "$(recorded_env V)" hook
  printf 'V=file\n' >f.env
  run -0 train --env-file f.env
  assert_equal "$(recorded_env V)" file
  run -0 train --env-file f.env --env V=option
  assert_equal "$(recorded_env V)" option
  run -0 train --env V=option --env-file f.env
  assert_equal "$(recorded_env V)" option
  assert_equal "$(<"$RECORDS/saw")" 'saw experiment
saw file
saw option
saw option'
}

@test "an inherited variable that is set but empty is set" {
  printf 'env: {V: launcher}\n' >"$HOME/.primus.yaml"
  V='' run -0 train
  assert_equal "$(recorded_env V)" ''
}

@test "a user's export beats every accelerator default" {
  local vendor='' name=''
  local -a names=()
  for vendor in nvidia amd; do
    mapfile -t names < <(sed -n 's/^\([A-Za-z_0-9]*\)=.*/\1/p' "$ROOT/runner/helpers/envs/$vendor.env")
    ((${#names[@]}))
    rm -f "$BATS_TEST_TMPDIR/bin/"*-smi
    if [[ $vendor == nvidia ]]; then
      fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
    else
      fake rocm-smi <<<'echo "GPU[0]		: Device Name: 		AMD Instinct MI300X"'
    fi
    run -0 train
    for name in "${names[@]}"; do
      assert_contains "$(<"$ROOT/runner/helpers/envs/$vendor.env")" "$name=$(recorded_env "$name")"
      export "$name=7"
    done
    run -0 train
    for name in "${names[@]}"; do
      assert_equal "$name=$(recorded_env "$name")" "$name=7"
      unset "$name"
    done
  done
  rm -f "$BATS_TEST_TMPDIR/bin/"*-smi
  run -0 train
  for name in "${names[@]}"; do run -1 recorded_env "$name"; done
}

@test "every accelerator default says why it is there" {
  local file='' line='' before=''
  for file in "$ROOT"/runner/helpers/envs/*; do
    before=''
    while IFS= read -r line; do
      [[ $line != *=* ]] || assert_contains "$before" '# '
      before=$line
    done <"$file"
  done
}

@test "--env keeps case, spaces, quotes, newlines and equals signs; the last one wins" {
  run -0 train --env my_lower=1 --env "ODD=a 'b' \"c\" \$HOME \$(touch pwn) = \\" --env $'NEW=a\nb' --env EMPTY= --env 'A=1' --env 'A=2'
  assert_equal "$(recorded_env my_lower)" 1
  assert_equal "$(recorded_env ODD)" "a 'b' \"c\" \$HOME \$(touch pwn) = \\"
  assert_equal "$(recorded_env NEW)" $'a\nb'
  assert_equal "$(recorded_env EMPTY)" ''
  assert_equal "$(recorded_env A)" 2
  [[ ! -e pwn ]]
}

@test "--env with what is no name of a variable is refused" {
  local bad=''
  for bad in '1A=x' '=x' 'a b=x' 'a[$(touch pwn)]=x' 'A-B=x' '1A' ''; do
    run -2 train --env "$bad"
  done
  run -2 --separate-stderr train --env A-B=x
  assert_equal "$stderr" '[primus] ERROR --env sets "A-B", which is no name of a variable
[primus] names are letters, digits and _'
  run -2 --separate-stderr train --env UID=0
  assert_equal "$stderr" '[primus] ERROR --env sets UID, which bash keeps for itself
[primus] take another name'
  [[ ! -e pwn && ! -e $RECORDS/calls ]]
}

@test "an environment file is data" {
  cat >f.env <<'E2'
# a comment

   
A=1
B=a "b" 'c' $HOME $(touch pwn) `touch pwn` \n
C=
D=a=b  
  E=1
E2
  run -2 --separate-stderr train --env-file f.env
  assert_equal "$stderr" '[primus] ERROR f.env:8: not a line NAME=VALUE
[primus] the file is data: no export, no spaces around =, # begins a comment line'
  sed -i '$d' f.env
  printf 'F=crlf\r\nG=no newline at the end' >>f.env
  run -0 train --env-file f.env
  assert_equal "$(recorded_env A)" 1
  assert_equal "$(recorded_env B)" "a \"b\" 'c' \$HOME \$(touch pwn) \`touch pwn\` \\n"
  assert_equal "$(recorded_env C)" ''
  assert_equal "$(recorded_env D)" 'a=b  '
  assert_equal "$(recorded_env F)" crlf
  assert_equal "$(recorded_env G)" 'no newline at the end'
  [[ ! -e pwn ]]
}

@test "quotes around a value in an environment file are kept, with a warning" {
  printf 'A="x y"\n' >f.env
  run -0 --separate-stderr train --env-file f.env
  assert_equal "$(recorded_env A)" '"x y"'
  assert_contains "$stderr" '[primus] WARNING f.env:1: the quotes become part of A'
}

@test "an environment file that is not there is refused" {
  run -3 --separate-stderr train --env-file none.env
  assert_equal "$stderr" '[primus] ERROR there is no environment file none.env
[primus] give a file of NAME=VALUE lines'
  run -3 train --env-file .
}

@test "PYTHONPATH, LD_LIBRARY_PATH and LD_PRELOAD are kept, and nothing empty comes in" {
  PYTHONPATH=/a:/b LD_LIBRARY_PATH=/c run -0 train
  assert_equal "$(recorded_env PYTHONPATH)" "$ROOT:/a:/b"
  assert_equal "$(recorded_env LD_LIBRARY_PATH)" /c
  PYTHONPATH='' run -0 train
  assert_equal "$(recorded_env PYTHONPATH)" "$ROOT"
  PYTHONPATH=":/a::/b:$ROOT:" run -0 train
  assert_equal "$(recorded_env PYTHONPATH)" "$ROOT:/a:/b"
  run -0 train --env PYTHONPATH=/x: --env LD_LIBRARY_PATH=:/y
  assert_equal "$(recorded_env PYTHONPATH)" "$ROOT:/x"
  assert_equal "$(recorded_env LD_LIBRARY_PATH)" /y
}

@test "an empty environment, and any one variable missing or empty, never ends in an unbound variable" {
  local -a all=("PATH=$PATH" "HOME=$HOME" "RECORDS=$RECORDS" "PRIMUS_PYTHON=$PRIMUS_PYTHON" "TEST_PYTHON=$TEST_PYTHON" TERM=dumb USER=u
    SHELL=/bin/bash LANG=C PWD="$PWD" TMPDIR=/tmp HOSTNAME=h LOGNAME=u
    SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_NODES=2 SLURM_NODEID=0 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NODELIST='n[1-2]' SLURM_NNODES=2
    SLURM_GPUS_ON_NODE=1 SLURMD_NODENAME=n1)
  local -a some=()
  local -i i=0
  local empty=''
  for empty in '' yes; do
    for ((i = 1; i < ${#all[@]}; i++)); do
      case ${all[i]%%=*} in RECORDS | PRIMUS_PYTHON | TEST_PYTHON) continue ;; esac
      some=("${all[@]:0:i}" "${all[@]:i+1}")
      [[ -z $empty ]] || some+=("${all[i]%%=*}=")
      run --separate-stderr env -i "${some[@]}" "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml
      refute_contains "$stderr" unbound
      refute_contains "$stderr" ': line '
      case $status in 0 | 2 | 3) ;; *) printf 'status %d without %s:\n%s\n' "$status" "${all[i]%%=*}" "$stderr" && return 1 ;; esac
    done
  done
  run --separate-stderr env -i "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml
  refute_contains "$stderr" unbound
}

@test "no PATH at all: what is missing is named" {
  run -3 --separate-stderr env -i PATH=/nonexistent "$BASH" "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml
  assert_equal "$stderr" '[primus] ERROR there is no python3 on PATH
[primus] install Python 3.10 or newer, or give --venv DIR'
}

@test "closed standard streams and no terminal are no obstacle" {
  hook 010-a.sh <<<'echo env.A=1'
  "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml <&-
  "$ROOT/primus-cli" direct --log-file l.txt -- train pretrain --config exp.yaml <&- >&- 2>&-
  "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml >&-
  "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml 2>&-
  setsid "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml </dev/null >f 2>&1
  assert_equal "$(recorded_env A)" 1
  refute_contains "$(<f)" $'\e['
}

@test "odd shell settings in the environment have no say" {
  hook 010-a.sh <<<'sleep 1.2; echo env.A=1'
  # Before 5.1 bash has no process substitution in POSIX mode.
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)) || export POSIXLY_CORRECT=1
  TMOUT=1 IFS=, CDPATH=/ GLOBIGNORE='*' GREP_OPTIONS=-v BASH_COMPAT=4.2 run -0 train
  assert_equal "$(recorded_env A)" 1
}
