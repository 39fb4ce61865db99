#!/usr/bin/env bats
# What container makes of its arguments, and what it asks of docker, podman, apptainer and singularity. Recorders stand
# in for all four, so that none of this machine's is started.

load helper

setup() {
  setup_project
  printf 'anything\n' >exp.yaml
  local name=''
  for name in docker podman; do recorder "$name"; done
  silent docker
  # What stands for training in the container; out here, an interpreter that cannot look into experiments, unless a
  # test wants it to.
  RECORDER=$PRIMUS_PYTHON
  fake host-python <<E1
export RECORDS='$RECORDS' TEST_PYTHON='$TEST_PYTHON'
[[ \$2 != primus.container_plan || -n \${LD_REAL_PLAN-} ]] || exit 3
exec '$RECORDER' "\$@"
E1
  export PRIMUS_PYTHON=$BATS_TEST_TMPDIR/bin/host-python
}

# A runtime that answers and records: the argument list of run, its input and that input's mode, its environment. With
# FAKE_INSIDE it also does what a container does, without one.
recorder() {
  fake "$1" <<'E1'
printf '%s\n' "$*" >>"$RECORDS/client_calls"
case ${1-} in
  info | --version) exit ;;
  image) exit "${FAKE_NO_IMAGE-0}" ;;
  container) [[ -n ${FAKE_STATE-} ]] && printf '%s\n' "$FAKE_STATE" && exit; exit 1 ;;
  ps) printf '%s\n' ${FAKE_IDS-}; exit ;;
  run | exec) ;;
  *) exit ;;
esac
printf '%s\0' "${0##*/}" "$@" >"$RECORDS/container_argv"
env -0 >"$RECORDS/client_env"
stat -L -c %a /proc/self/fd/0 >"$RECORDS/mode"
readlink /proc/self/fd/0 >"$RECORDS/input_name"
folder=''
for word; do [[ $word != *:/run/primus ]] || folder=${word%:/run/primus}; done
if [[ -z ${FAKE_INSIDE-} ]]; then
  cat >"$RECORDS/input"
  exit "${FAKE_RC-0}"
fi
while [[ $1 != */container_entry.sh ]]; do shift; done
words=("$@")
for i in "${!words[@]}"; do [[ ${words[i]} != /run/primus ]] || words[i]=$folder; done
exec env -i "PATH=$PATH" "RECORDS=$RECORDS" "TEST_PYTHON=$TEST_PYTHON" "FOO=image" "KEPT=image" "FAKE_RC=${FAKE_RC-0}" \
  ${FAKE_SLEEP+"FAKE_SLEEP=$FAKE_SLEEP"} bash "${words[@]}"
E1
}

# A client whose daemon is not there.
silent() {
  fake "$1" <<'E1'
[[ $1 == info ]] || exit 0
printf 'Cannot connect to the daemon. Is it running?\n' >&2
exit 1
E1
}

box() { cli container --image img "$@"; }

# A launch through the whole chain, to the recorder that stands in for the training.
inside() { FAKE_INSIDE=1 box --env "PRIMUS_PYTHON=$RECORDER" "$@"; }

# The recorded argument list with what changes from launch to launch replaced.
container_argv() {
  local -n _ca_result=$1
  local -i i=0
  mapfile -d '' -t _ca_result <"$RECORDS/container_argv"
  for ((i = 0; i < ${#_ca_result[@]}; i++)); do
    case ${_ca_result[i]} in
      primus-20[0-9][0-9]*) _ca_result[i]=NAME ;;
      */primus-container.*/shared:/run/primus) _ca_result[i]=SHARED:/run/primus ;;
      nofile=* | nproc=* | memlock=* | stack=*) _ca_result[i]=${_ca_result[i]%%=*}=N ;;
      --shm-size=*k) _ca_result[i]=--shm-size=N ;;
    esac
  done
}

# The words of the recorded list from the image on.
from_image() {
  local -n _fi_result=$1
  local -a all=()
  local -i i=0
  mapfile -d '' -t all <"$RECORDS/container_argv"
  for ((i = 0; i < ${#all[@]}; i++)); do
    [[ ${all[i]} != img ]] || break
  done
  _fi_result=("${all[@]:i}")
}

# Whether these words stand in the recorded list, next to one another.
assert_words() {
  local -a all=()
  mapfile -d '' -t all <"$RECORDS/container_argv"
  local text='' wanted=''
  printf -v text '<%s>' "${all[@]}"
  printf -v wanted '<%s>' "$@"
  assert_contains "$text" "$wanted"
}

refute_word() {
  local -a all=()
  local text=''
  mapfile -d '' -t all <"$RECORDS/container_argv"
  printf -v text '<%s>' "${all[@]}"
  refute_contains "$text" "<$1>"
}

# A variable in the recorded input.
input_env() {
  local entry=''
  while IFS= read -r -d '' entry; do
    [[ $entry != "$1="* ]] || { printf '%s' "${entry#*=}" && return 0; }
  done <"$RECORDS/input"
  return 1
}

@test "the whole argument list of podman" {
  local -a got=()
  run -0 box -- train pretrain --config exp.yaml a=1
  container_argv got
  [[ ! -e /dev/kfd && ! -e /dev/nvidiactl && ! -d /dev/infiniband && ! -e /sys/fs/selinux/enforce ]] || skip 'this host has devices of its own: run it where there are none'
  local -a limits=()
  [[ $(ulimit -Hu) == unlimited ]] || limits=(--ulimit nproc=N)
  [[ $(ulimit -Hs) == unlimited ]] && limits+=(--ulimit memlock=N --ulimit stack=N) || limits+=(--ulimit memlock=N)
  assert_list got podman run --rm --interactive --name NAME --label "primus.launcher=$(<"$ROOT/VERSION")" \
    --label "primus.launcher.user=$UID" --entrypoint bash --workdir "$PWD" --stop-timeout 15 --network host \
    --ulimit nofile=N "${limits[@]}" --pids-limit=-1 --shm-size=N \
    --volume "$ROOT:$ROOT" --volume "$PWD:$PWD" --volume SHARED:/run/primus img \
    "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- \
    -- train pretrain --config exp.yaml a=1
}

@test "docker, when its daemon answers, is taken first" {
  recorder docker
  run -0 box -- train pretrain --config exp.yaml
  assert_words docker run --rm --interactive --name
}

@test "a client whose daemon does not answer is passed over" {
  run -0 box -- train pretrain --config exp.yaml
  assert_words podman run --rm
}

@test "podman under docker's name is spoken to as podman" {
  fake docker <<E1
[[ \$1 != --version ]] || printf 'podman version 4.3.1\n'
exec "$BATS_TEST_TMPDIR/bin/podman" "\$@"
E1
  run -0 box --gpus all -- train pretrain --config exp.yaml
  assert_words --device nvidia.com/gpu=all
}

@test "no runtime that answers" {
  silent podman
  local path=''
  for path in bash env timeout cat readlink stat mkdir rm mktemp mkfifo chmod df id sort; do ln -sf "$(type -P "$path")" "$BATS_TEST_TMPDIR/bin/$path"; done
  PATH=$BATS_TEST_TMPDIR/bin run -3 --separate-stderr box -- train pretrain --config exp.yaml
  assert_equal "$stderr" "[primus] ERROR no container runtime answers: docker does not answer: Cannot connect to the daemon. Is it running?; podman does not answer: Cannot connect to the daemon. Is it running?
[primus] start the runtime, or install podman, for primus-cli container"
}

@test "a runtime that was named is taken or is an error" {
  recorder docker
  run -0 box --runtime podman -- train pretrain --config exp.yaml
  assert_words podman run
  PRIMUS_CONTAINER_RUNTIME=podman run -0 box -- train pretrain --config exp.yaml
  assert_words podman run
  silent docker
  run -3 --separate-stderr box --runtime docker -- train pretrain --config exp.yaml
  assert_equal "$stderr" "[primus] ERROR $BATS_TEST_TMPDIR/bin/docker does not answer: Cannot connect to the daemon. Is it running?
[primus] start it, or give primus-cli container another --runtime"
  run -2 --separate-stderr box --runtime nvidia -- train pretrain --config exp.yaml
  assert_equal "$stderr" "[primus] ERROR --runtime is \"nvidia\", which is no container runtime that primus-cli knows
[primus] docker, podman, apptainer and singularity are; the runtime's own option goes as --pass=--runtime=nvidia"
}

@test "apptainer and singularity get their own words" {
  local name=''
  local -a got=()
  touch img
  for name in apptainer singularity; do
    recorder "$name"
    run -0 box --runtime "$name" -v /etc/hosts:/h:ro --fakeroot -- train pretrain --config exp.yaml
    container_argv got
    assert_list got "$name" exec --cleanenv --no-home --pid --pwd "$PWD" --bind /etc/hosts:/h:ro \
      --bind "$ROOT:$ROOT" --bind "$PWD:$PWD" --fakeroot --bind SHARED:/run/primus img bash \
      "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- -- train pretrain --config exp.yaml
    run -2 --separate-stderr box --runtime "$name" --user me -- train pretrain --config exp.yaml
    assert_contains "$stderr" "$name has no --user"
  done
}

@test "every option of the runtime goes on, in its form and order" {
  run -0 box --memory 64g --cap-add=SYS_PTRACE -p 6006:6006 --privileged --memory-swap -1 -m8g --new-thing 'a b' \
    --pass=--runtime=nvidia --pass x -- train pretrain --config exp.yaml
  assert_words --memory 64g --cap-add=SYS_PTRACE -p 6006:6006 --privileged --memory-swap -1 -m8g --new-thing 'a b' \
    --runtime=nvidia x --volume
}

@test "ours may be written in every form" {
  local form=''
  for form in '--user me' '--user=me' '-u me' '-ume' '-u=me'; do
    # shellcheck disable=SC2086 # the form is meant to be split
    run -0 box $form -- train pretrain --config exp.yaml
    assert_words --user me
  done
  printf 'A=1\n' >vars.env
  run -0 box --env_file=vars.env --workdir /w -- train pretrain --config exp.yaml
  assert_words --workdir /w
}

@test "a mistyped option of ours is refused with the nearest" {
  run -2 --separate-stderr box --volmue /a:/b -- train pretrain --config exp.yaml
  assert_equal "$stderr" "[primus] ERROR unknown option --volmue
[primus] did you mean --volume? An option of the runtime's that is so named goes as --pass=--volmue; see primus-cli container --help"
  run -0 box --cpus 4 -- train pretrain --config exp.yaml
  assert_words --cpus 4
}

@test "stray words, and options that cannot be" {
  run -2 --separate-stderr cli container my/image -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'stray word "my/image"'
  run -2 --separate-stderr box --privileged my/image -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'stray word "my/image"'
  local option=''
  for option in -d --detach -t -it -dit --tty --entrypoint=x --cidfile --sig-proxy=false --restart=always; do
    run -2 --separate-stderr box "$option" -- train pretrain --config exp.yaml
    assert_contains "$stderr" "${option%%=*} cannot be used"
  done
  run -0 box -i --rm --interactive -- train pretrain --config exp.yaml
  run -2 --separate-stderr box --image
  assert_contains "$stderr" '--image needs a value'
  run -2 --separate-stderr box
  assert_contains "$stderr" 'there is nothing to run'
  run -2 --separate-stderr box -- --numaa -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'did you mean --numa?'
}

@test "a number that is none is refused and never executed" {
  run -2 --separate-stderr box --grace 'a[$(touch pwn)]' -- train pretrain --config exp.yaml
  assert_contains "$stderr" '--grace is "a[$(touch pwn)]", which is no whole number of seconds'
  PRIMUS_GRACE=x run -2 --separate-stderr box -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'PRIMUS_GRACE is "x"'
  [[ ! -e pwn ]]
}

@test "only the launchers' own -- are taken away" {
  local -a got=()
  run -0 box -- train pretrain --config exp.yaml -- --a b --
  from_image got
  assert_list got img "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- -- train pretrain --config exp.yaml -- --a b --
  run -0 box -- --nproc 4 --single -- train pretrain --config exp.yaml -- --a
  from_image got
  assert_list got img "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- --nproc=4 --single -- train pretrain --config exp.yaml -- --a
  run -0 box -- direct --nproc 4 -- train pretrain --config exp.yaml
  from_image got
  assert_list got img "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- --nproc=4 -- train pretrain --config exp.yaml
}

@test "arguments are one element each, byte for byte, up to the training" {
  local -a got=() odd=(--layout 'Et*1|t*1' '$(touch ./pwn)' '`x`' ';' '&' '"' "it's" '\' $'new\nline' --note 'hello world!' --empty '' --tab $'a\tb' '*' -- '%41' 'ümlaut')
  touch Et1
  run -0 inside -- train pretrain --config exp.yaml "${odd[@]}"
  recorded_train_args got
  assert_list got --config exp.yaml "${odd[@]}"
  from_image got
  assert_list got img "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 10 -- --env=PRIMUS_PYTHON -- train pretrain --config exp.yaml "${odd[@]}"
  odd+=("$(printf '\377\200%%\303')")
  run -0 inside -- train pretrain --config exp.yaml "${odd[@]}"
  recorded_train_args got
  assert_list got --config exp.yaml "${odd[@]}"
  [[ ! -e pwn ]]
}

@test "the status is the training's, and the runtime's own are told apart" {
  local status_wanted=''
  for status_wanted in 0 3 17 42 125 126 127 137; do
    FAKE_RC=$status_wanted run -"$status_wanted" inside -- train pretrain --config exp.yaml
  done
  FAKE_RC=17 run -17 box -- train pretrain --config exp.yaml
  FAKE_RC=125 run -3 --separate-stderr box -- train pretrain --config exp.yaml
  assert_equal "$(last_line "$stderr")" "[primus] see what it says above; primus-cli container --dry-run shows the command"
}

@test "a signal to the launcher reaches the training" {
  local pid='' name='' status=0
  for name in TERM USR2; do
    status=0
    rm -f "$RECORDS/started" "$RECORDS/signals"
    FAKE_INSIDE=1 FAKE_SLEEP=30 "$ROOT/primus-cli" container --image img --env "PRIMUS_PYTHON=$RECORDER" -- train pretrain --config exp.yaml 3>&- &
    pid=$!
    await test -e "$RECORDS/started"
    kill -s "$name" "$pid"
    wait "$pid" || status=$?
    assert_equal "$status" "$((128 + $(kill -l "$name")))"
    assert_equal "$(<"$RECORDS/signals")" "$name"
  done
}

@test "training is stopped when its launcher is killed, without anybody outside" {
  local pid=''
  FAKE_INSIDE=1 FAKE_SLEEP=30 "$ROOT/primus-cli" container --image img --env "PRIMUS_PYTHON=$RECORDER" -- train pretrain --config exp.yaml 3>&- &
  pid=$!
  await test -e "$RECORDS/started"
  kill -KILL "$pid"
  await test -e "$RECORDS/signals"
  assert_equal "$(<"$RECORDS/signals")" TERM
  wait "$pid" || :
  await no_process_inside
}

no_process_inside() { ! pgrep -f "$BATS_TEST_TMPDIR/.*container_entry" >/dev/null; }

@test "values stand on no command line, and in a file of mode 600 that is gone" {
  HF_TOKEN=hf_S3CRET run -0 --separate-stderr box --debug --env X_TOKEN=hf_S3CRET -- --env Y_TOKEN=hf_S3CRET -- train pretrain --config exp.yaml
  ! grep -aq S3CRET "$RECORDS/container_argv" "$RECORDS/client_calls" || return 1
  refute_contains "$output$stderr" S3CRET
  assert_equal "$(<"$RECORDS/mode")" 600
  assert_contains "$(<"$RECORDS/input_name")" ' (deleted)'
  local name=''
  for name in HF_TOKEN X_TOKEN Y_TOKEN; do assert_equal "$(input_env "$name")" hf_S3CRET; done
  HF_TOKEN=hf_S3CRET run -0 box --dry-run --env X_TOKEN=hf_S3CRET -- train pretrain --config exp.yaml
  refute_contains "$output" S3CRET
}

@test "variables arrive whole, in their case, over the image's, and options over everything" {
  printf 'FROM_FILE=file=1\nBOTH=file\n' >vars.env
  hook a.sh <<<"printf 'env.WINS=hook\nenv.BOTH=hook\n'"
  NCCL_IB_HCA=mlx5_0,mlx5_1 HSA_A=$'a\nb "c" \x27' UNLISTED=1 run -0 inside --env FOO=host --env my_lower=1 --env WINS=option \
    --env-file vars.env --env BOTH=option -- train pretrain --config exp.yaml
  assert_equal "$(recorded_env NCCL_IB_HCA)" mlx5_0,mlx5_1
  assert_equal "$(recorded_env HSA_A)" $'a\nb "c" \x27'
  assert_equal "$(recorded_env FOO)" host
  assert_equal "$(recorded_env KEPT)" image
  assert_equal "$(recorded_env my_lower)" 1
  assert_equal "$(recorded_env FROM_FILE)" file=1
  assert_equal "$(recorded_env WINS)" option
  assert_equal "$(recorded_env BOTH)" option
  ! recorded_env UNLISTED || return 1
  UNLISTED=1 run -0 --separate-stderr box --debug -- train pretrain --config exp.yaml
  [[ $stderr =~ 'variables that stay outside:'.*' UNLISTED' ]]
}

@test "a variable for the container does not touch the runtime's client" {
  LD_LIBRARY_PATH=/host run -0 box --env LD_LIBRARY_PATH=/inside --env NEW=1 -- train pretrain --config exp.yaml
  assert_equal "$(input_env LD_LIBRARY_PATH)" /inside
  assert_contains "$(tr '\0' '\n' <"$RECORDS/client_env")" 'LD_LIBRARY_PATH=/host'
  refute_contains "$(tr '\0' '\n' <"$RECORDS/client_env")" NEW=1
}

@test "what the experiment refers to is handed over, and what says something of this host is not" {
  printf 'user_name: ${USER}\nworkspace: ${HOME}/x\nx: ${MY_VAR:default} ${NOT_SET:1}\n' >exp.yaml
  USER=me MY_VAR=2 CUDA_HOME=/h PRIMUS_IMAGE=img PRIMUS_RUN_ID=r1 run -0 box -- train pretrain --config=exp.yaml
  assert_equal "$(input_env USER)" me
  assert_equal "$(input_env MY_VAR)" 2
  assert_equal "$(input_env PRIMUS_RUN_ID)" r1
  local name=''
  for name in HOME NOT_SET CUDA_HOME PRIMUS_IMAGE PRIMUS_PYTHON PATH; do ! input_env "$name" || return 1; done
}

@test "the lists of variables are those of the documentation" {
  local row='' documented=''
  source "$SOURCE_ROOT/runner/lib/container_env.sh"
  row=$(grep '^| that begin with |' "$SOURCE_ROOT/docs/containers.md")
  documented=$(grep -o '`[^`]*`' <<<"$row" | tr -d '`')
  assert_equal "$documented" "$(_primus_container_prefixes)"
  row=$(grep '^| that are |' "$SOURCE_ROOT/docs/containers.md")
  documented=$(grep -o '`[^`]*`' <<<"$row" | tr -d '`')
  assert_equal "$documented" "$(_primus_container_names)"
  row=$(grep '^| but never by themselves |' "$SOURCE_ROOT/docs/containers.md")
  while read -r documented; do
    _primus_container_stays "${documented/'*'/X}" || return 1
  done < <(grep -o '`[^`]*`' <<<"$row" | tr -d '`')
}

@test "volumes in all forms" {
  mkdir -p 'a b' /"${BATS_TEST_TMPDIR#/}/c:d"
  run -0 box -v './a b' -v 'a b/:/x' -v /etc:/e:ro -v named:/data --volume="$ROOT:$ROOT:ro" -- train pretrain --config exp.yaml
  assert_words --volume "$PWD/./a b:$PWD/./a b" --volume "$PWD/a b/:/x" --volume /etc:/e:ro --volume named:/data --volume "$ROOT:$ROOT:ro" --volume "$PWD:$PWD"
  refute_word "$ROOT:$ROOT"
  cd "$BATS_TEST_TMPDIR/c:d"
  run -0 box -- train pretrain --config exp.yaml
  assert_words --mount "type=bind,\"source=$PWD\",\"target=$PWD\""
}

@test "a folder that does not exist is an error with every runtime" {
  run -3 --separate-stderr box -v /not/there:/x -- train pretrain --config exp.yaml
  assert_equal "$(tail -n 2 <<<"$stderr")" '[primus] ERROR there is no /not/there on this host (--volume /not/there:/x)
[primus] make it, or correct --volume of primus-cli container'
  run -3 --separate-stderr box --mount type=bind,src=/not/there,dst=/x -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'there is no /not/there on this host (--mount type=bind,src=/not/there,dst=/x)'
  run -2 --separate-stderr box -v /etc:relative -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'the place in the container is no absolute path'
  [[ ! -e $RECORDS/container_argv ]]
}

@test "what the experiment needs is mounted, and system folders are not" {
  local outside="$BATS_TEST_TMPDIR/out side"
  mkdir -p "$outside/conf" "$outside/data" "$outside/hf" "$outside/backend"
  cat >"$outside/conf/exp.yaml" <<E1
work_group: g
user_name: u
exp_name: e
workspace: $outside/runs
modules:
  pre_trainer:
    framework: torchtitan
    config: pre_trainer.yaml
    model: llama3_debugmodel.yaml
E1
  LD_REAL_PLAN=1 HF_HOME=$outside/hf BACKEND_PATH=/usr run -0 box -- train pretrain --config "$outside/conf/exp.yaml" --data_path "$outside/data" --backend_path "$outside/backend"
  assert_words --volume "$outside/conf:$outside/conf"
  assert_words --volume "$outside/runs/g/u/e:$outside/runs/g/u/e"
  [[ -d $outside/runs/g/u/e ]]
  assert_words --volume "$outside/data:$outside/data"
  assert_words --volume "$outside/hf:$outside/hf"
  assert_words --volume "$outside/backend:$outside/backend"
  refute_word /usr:/usr
}

@test "a mistake in the experiment is told before anything starts" {
  printf 'modules: {pre_trainer: {framework: torchtitan, config: nothing.yaml}}\n' >exp.yaml
  LD_REAL_PLAN=1 run -2 --separate-stderr box -- train pretrain --config exp.yaml
  [[ ! -e $RECORDS/container_argv ]]
  assert_contains "$stderr" 'exp.yaml'
}

@test "an image that is not there and may not be fetched" {
  FAKE_NO_IMAGE=1 run -3 --separate-stderr box --pull never -- train pretrain --config exp.yaml
  assert_equal "$stderr" '[primus] ERROR the image img is not on this host, and --pull is never
[primus] fetch it with podman pull img, or leave out --pull for primus-cli container'
  run -0 box --pull never -- train pretrain --config exp.yaml
  assert_words --pull never
  run -2 --separate-stderr box --pull sometimes -- train pretrain --config exp.yaml
  assert_contains "$stderr" '--pull is "sometimes"'
  run -2 --separate-stderr cli container -- train pretrain --config exp.yaml
  assert_contains "$stderr" 'no image was given'
  PRIMUS_IMAGE=img run -0 cli container -- train pretrain --config exp.yaml
  PRIMUS_IMAGE=img run -0 cli container --rootfs /:O -- train pretrain --config exp.yaml
  assert_words --rootfs /:O
}

@test "limits give way to the user's" {
  run -0 box --ulimit nofile=1:1 --shm-size 1g --pids-limit=9 --network=none -- train pretrain --config exp.yaml
  assert_words --ulimit nofile=1:1 --shm-size 1g --pids-limit=9 --network=none
  refute_word host
  refute_word --pids-limit=-1
  mapfile -d '' -t got <"$RECORDS/container_argv"
  [[ "${got[*]}" != *--shm-size=* && "${got[*]}" != *nofile=*nofile=* ]]
}

# Lists the options for the devices below a folder that stands in for /dev.
devices() {
  (
    local lib=''
    source "$SOURCE_ROOT/runner/site.sh"
    for lib in "$SOURCE_ROOT"/runner/lib/container_*.sh; do source "$lib"; done
    _primus_container_dev() { printf '%s' "$BATS_TEST_TMPDIR/dev"; }
    declare -A options=(["--gpus"]="$2")
    declare -a found=()
    _primus_container_devices found options "$1" && printf '%s\n' ${found[@]+"${found[@]}"}
  )
}

@test "devices are handed over where they are" {
  local dev="$BATS_TEST_TMPDIR/dev"
  assert_equal "$(devices docker '')" ''
  mkdir -p "$dev/dri" "$dev/infiniband"
  touch "$dev/kfd" "$dev/dri/renderD128"
  chgrp 44 "$dev/kfd" 2>/dev/null && chgrp 105 "$dev/dri/renderD128" || skip 'needs root to give files to groups: run as root'
  assert_equal "$(devices docker '' | LC_ALL=C sort | tr '\n' ' ')" \
    "$(printf '%s\n' --device "$dev/kfd" --device "$dev/dri" --group-add 44 --group-add 105 --security-opt seccomp=unconfined --device "$dev/infiniband" | LC_ALL=C sort | tr '\n' ' ')"
  assert_equal "$(devices docker none)" ''
  rm -r "$dev/kfd" "$dev/infiniband"
  touch "$dev/nvidiactl"
  assert_equal "$(devices docker '')" $'--gpus\nall'
  assert_equal "$(devices podman '')" $'--device\nnvidia.com/gpu=all'
  assert_equal "$(devices podman device=0,2)" $'--device\nnvidia.com/gpu=0\n--device\nnvidia.com/gpu=2'
  assert_equal "$(devices podman 2)" $'--device\nnvidia.com/gpu=0\n--device\nnvidia.com/gpu=1'
}

@test "the launcher's configuration sets options of the container, and of direct inside it" {
  cat >"$HOME/.primus.yaml" <<'E1'
env: {NCCL_DEBUG: WARN, SITE_VARIABLE: x}
container:
  image: from-file
  volume: [/etc:/e:ro]
  pass: [--cap-add=SYS_PTRACE]
direct:
  nproc: 5
  grace: 7
E1
  PRIMUS_GRACE=3 run -0 cli container -v /etc/ssl:/s -- --hook-timeout 9 -- train pretrain --config exp.yaml
  assert_words --volume /etc:/e:ro --volume /etc/ssl:/s
  assert_words --cap-add=SYS_PTRACE
  assert_words from-file "$ROOT/runner/helpers/container_entry.sh" --folder /run/primus --grace 3 -- --nproc=5 --hook-timeout=9 -- train
  assert_equal "$(input_env SITE_VARIABLE)" x
  assert_equal "$(input_env NCCL_DEBUG)" WARN
}

@test "a dry run starts nothing and shows the whole command" {
  mkdir t
  TMPDIR=$PWD/t run -0 --separate-stderr box --dry-run --env A='b c' -- train pretrain --config exp.yaml
  assert_equal "$(ls t)" ''
  [[ ! -e $RECORDS/container_argv && ! -e $RECORDS/argv ]]
  assert_contains "$output" '#   A: --env'
  assert_contains "$output" 'm primus.torchrun --standalone'
  assert_contains "$output" "printf '%s\\0' A=b\\ c"
  run -0 --separate-stderr box --dry-run --json -- train pretrain --config exp.yaml
  printf '%s' "$output" | "$TEST_PYTHON" -c 'import json, sys; plan = json.load(sys.stdin); assert plan["kind"] == "podman"; assert plan["inside"]["nnodes"]["value"] == "1"'
  # A pasted command does what the launch does.
  run -0 --separate-stderr box --dry-run -- train pretrain --config exp.yaml 'a b=$x'
  bash -c "$output"
  assert_words train pretrain --config exp.yaml 'a b=$x'
}

@test "--clean asks for our own stopped containers and removes nothing else" {
  FAKE_IDS='a1 b2' run -0 --separate-stderr cli container --clean
  assert_equal "$(grep -E '^(ps|rm)' "$RECORDS/client_calls" | head -n 1)" \
    "ps --all --quiet --no-trunc --filter label=primus.launcher --filter label=primus.launcher.user=$UID --filter status=exited"
  assert_contains "$(<"$RECORDS/client_calls")" $'\nrm a1'
  rm "$RECORDS/client_calls"
  mkdir -p t/primus-container.999999999.abc t/primus-container.$$.abc t/other
  TMPDIR=$PWD/t run -0 cli container --clean
  assert_equal "$(ls t)" "other
primus-container.$$.abc"
  FAKE_IDS='a1' run -0 cli container --clean --dry-run
  refute_contains "$(<"$RECORDS/client_calls")" 'rm a1'
}

@test "a name that is taken" {
  FAKE_STATE="exited $UID" run -0 box --name mine -- train pretrain --config exp.yaml
  assert_contains "$(<"$RECORDS/client_calls")" $'\nrm mine'
  FAKE_STATE='running ' run -3 --separate-stderr box --name mine -- train pretrain --config exp.yaml
  assert_contains "$stderr" '[primus] ERROR there is a container mine already (running)
[primus] remove it with podman rm mine, or give primus-cli container another --name'
}

@test "help is the header, and asks no runtime" {
  run -0 cli container --help
  assert_contains "$output" 'Usage: primus-cli container [options] -- '
  assert_equal "$(cli container -h)" "$output"
  [[ ! -e $RECORDS/client_calls ]]
  run -0 cli container --image img -- --help
  assert_equal "$output" "$(cli direct --help)"
}
