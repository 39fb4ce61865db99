#!/usr/bin/env bats
# doctor: the whole report, on hosts made of recorders.

load helper

setup() {
  setup_project
  local tool=''
  TOOLS="$BATS_TEST_TMPDIR/tools"
  mkdir -p "$TOOLS"
  # Only these of the machine's own programs are there; what the report tells about is faked below.
  for tool in awk bash cat env flock hostname mkdir readlink sort tee timeout; do ln -s "$(type -P "$tool")" "$TOOLS/"; done
  fake nproc <<<'echo 16'
  fake nvidia-smi <<<'echo "NVIDIA-SMI has failed" >&2; exit 9'
  fake amd-smi <<<':'
  fake df <<'E2'
printf 'Filesystem 1024-blocks Used Available Capacity Mounted on\n'
case ${*: -1} in
  /dev/shm) printf 'tmpfs %s 0 %s 0%% /dev/shm\n' "${FAKE_SHM-67108864}" "${FAKE_SHM-67108864}" ;;
  *) printf '/dev/my disk 100000000 1 %s 7%% /data of mine\n' "${FAKE_FREE-52428800}" ;;
esac
E2
  fake my-python <<'E2'
printf '%s\n' "$*" >>"$RECORDS/calls"
if [[ $1 == -c ]]; then
  printf '%s\n' "${FAKE_VERSION-3.12.1}"
  exit
fi
cat "$RECORDS/facts"
E2
  PRIMUS_PYTHON="$BATS_TEST_TMPDIR/bin/my-python"
  python_says python ok PyYAML 6.0.2 '' python ok packaging 24.0 '' python ok torch 2.13.0+cu126 '' \
    backends ok torchtitan '0.2.2, installed in /site' '' \
    storage place workspace "$WORK/output" '' storage place data "$WORK/data" ''
}

python_says() { printf '%s\0' "$@" >"$RECORDS/facts"; }

# The tools and the limits of the machine that runs the tests have no say.
doctor() (
  ulimit -n 4096
  ulimit -l 64
  ulimit -u 5000
  PATH="$BATS_TEST_TMPDIR/bin:$TOOLS"
  "$BASH" "$ROOT/primus-cli" doctor "$@"
)

# The part of the report from the line TITLE to the next one without indentation.
section() {
  local line='' on=''
  while IFS= read -r line; do
    if [[ $line == "$1" ]]; then on=1; elif [[ $line != ' '* ]]; then on=''; elif [[ -n $on ]]; then printf '%s\n' "$line"; fi
  done <<<"$output"
}

@test "a host without accelerators, Slurm and containers that can train in direct mode" {
  run -0 --separate-stderr doctor
  assert_equal "$stderr" ''
  assert_equal "$output" "Python
  ok       interpreter    $PRIMUS_PYTHON (PRIMUS_PYTHON)
  ok       Python         3.12.1
  ok       PyYAML         6.0.2
  ok       packaging      24.0
  ok       torch          2.13.0+cu126
Backends
  ok       torchtitan     0.2.2, installed in /site
Host
  ok       tools          awk, flock, mkdir, tee, timeout
  ok       cores          16
  warning  accelerators   nvidia-smi is here, but lists no device
           mend: nvidia-smi shows why; without a device, training takes the CPU
Slurm
  none     commands       no srun, sbatch or scontrol on PATH
           mend: load the module or install the package that holds them
Containers
  none     runtimes       no docker, podman, apptainer or singularity on PATH
           mend: install podman
Limits
  warning  open files     4096, at most 4096; large jobs want 65536
           mend: set nofile to 65536 in /etc/security/limits.conf
  ok       locked memory  64 KiB
  ok       processes      5000
  ok       shared memory  64.0 GiB
Storage
  ok       workspace      $WORK/output: 50.0 GiB free
  ok       data           $WORK/data: 50.0 GiB free
What can run here
  yes      direct with torchtitan
  no       container
           runtimes: no docker, podman, apptainer or singularity on PATH
           mend: install podman
  no       slurm
           commands: no srun, sbatch or scontrol on PATH
           mend: load the module or install the package that holds them"
}

@test "a full host" {
  fake nvidia-smi <<<'printf "GPU %d: NVIDIA H200 (UUID: GPU-x)\n" 0 1 2 3'
  fake docker <<<':'
  fake podman <<<':'
  fake scontrol <<<'echo "Slurmctld(primary) at head is UP"; echo "Slurmctld(backup) at spare is DOWN"'
  fake srun <<<':'
  fake sbatch <<<':'
  run -0 --separate-stderr doctor
  assert_equal "$stderr" ''
  assert_equal "$(section Host)" '  ok       tools          awk, flock, mkdir, tee, timeout
  ok       cores          16
  ok       accelerators   4 nvidia'
  assert_equal "$(section Slurm)" '  ok       commands       srun, sbatch, scontrol
  ok       controller     Slurmctld(primary) at head is UP'
  assert_equal "$(section Containers)" "  ok       docker         $BATS_TEST_TMPDIR/bin/docker answers
  ok       podman         $BATS_TEST_TMPDIR/bin/podman answers"
  assert_contains "$output" '  warning  locked memory  64 KiB; devices and fast networks want it unlimited
           mend: set memlock to unlimited in /etc/security/limits.conf'
  assert_equal "$(section 'What can run here')" '  yes      direct with torchtitan
  yes      container
  yes      slurm'
}

@test "clients that do not answer are told as such" {
  fake docker <<<'echo "Client: 29"; echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock." >&2; exit 1'
  fake podman <<<'echo "Error: permission denied" >&2; exit 125'
  fake scontrol <<<'echo "Slurmctld(primary) at head is DOWN"; exit 1'
  run -0 --separate-stderr doctor
  assert_equal "$(section Slurm)" '  warning  commands       scontrol, but no srun, sbatch
           mend: load the module or install the package that holds them
  warning  controller     scontrol ping: Slurmctld(primary) at head is DOWN
           mend: set SLURM_CONF to a readable slurm.conf, or start slurmctld'
  assert_equal "$(section Containers)" "  warning  docker         $BATS_TEST_TMPDIR/bin/docker is here, but does not answer: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.
           mend: sudo systemctl start docker, or install podman
  warning  podman         $BATS_TEST_TMPDIR/bin/podman is here, but does not answer: Error: permission denied
           mend: podman info shows more"
  assert_equal "$(section 'What can run here')" "  yes      direct with torchtitan
  no       container
           docker: $BATS_TEST_TMPDIR/bin/docker is here, but does not answer: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.
           mend: sudo systemctl start docker, or install podman
           podman: $BATS_TEST_TMPDIR/bin/podman is here, but does not answer: Error: permission denied
           mend: podman info shows more
  no       slurm
           commands: scontrol, but no srun, sbatch
           mend: load the module or install the package that holds them
           controller: scontrol ping: Slurmctld(primary) at head is DOWN
           mend: set SLURM_CONF to a readable slurm.conf, or start slurmctld"
  fake docker <<<'echo "permission denied while trying to connect to the Docker daemon socket" >&2; exit 1'
  USER=me run -0 --separate-stderr doctor
  assert_contains "$output" 'mend: sudo usermod -aG docker me, then log in again'
}

@test "a scontrol that hangs is given up" {
  ln -s "$(type -P sleep)" "$TOOLS/"
  fake scontrol <<<'exec sleep 100'
  run -0 --separate-stderr doctor
  assert_contains "$output" '  warning  controller     scontrol ping: no answer within 2 s
           mend: set SLURM_CONF to a readable slurm.conf'
}

@test "without an interpreter nothing can be trained" {
  PRIMUS_PYTHON=/nowhere/python run -3 --separate-stderr doctor
  assert_equal "$(section Python)" '  missing  interpreter    PRIMUS_PYTHON=/nowhere/python: there is no interpreter /nowhere/python
           mend: make one with: python3 -m venv DIR, and give --venv DIR'
  assert_contains "$output" 'What can run here
  no       direct
           interpreter: PRIMUS_PYTHON=/nowhere/python: there is no interpreter /nowhere/python
           mend: make one with: python3 -m venv DIR, and give --venv DIR
  no       container'
  refute_contains "$output" Storage
  assert_equal "$stderr" '[primus] ERROR nothing can be trained here with primus-cli direct
[primus] primus-cli doctor shows above what is missing, and the commands that mend it'
}

@test "an interpreter that is too old or broken is not asked further" {
  FAKE_VERSION=3.9.2 run -3 --separate-stderr doctor
  assert_equal "$(section Python)" "  ok       interpreter    $PRIMUS_PYTHON (PRIMUS_PYTHON)
  missing  Python         3.9.2, but 3.10 or newer is needed
           mend: install a newer Python, then: python3.X -m venv DIR, and give primus-cli --venv DIR"
  FAKE_VERSION='cannot open shared object file' run -3 --separate-stderr doctor
  assert_contains "$output" "  missing  Python         $PRIMUS_PYTHON does not run: cannot open shared object file"
  assert_equal "$(grep -c doctor "$RECORDS/calls")" 0
  : >"$RECORDS/facts"
  run -3 --separate-stderr doctor
  assert_contains "$output" "  missing  modules        $PRIMUS_PYTHON cannot run primus.tools.doctor"
}

@test "each backend has its own verdict, and one that works is enough" {
  python_says python ok PyYAML 6.0.2 '' python missing torch 'not installed' '/py -m pip install torch' \
    backends ok one '1.0, comes with Primus' '' backends missing two 'not found' 'pip install two'
  run -3 --separate-stderr doctor
  assert_contains "$output" '  no       direct with one
           torch: not installed
           mend: /py -m pip install torch
  no       direct with two
           torch: not installed
           mend: /py -m pip install torch
           two: not found
           mend: pip install two'
  python_says python ok torch 2 '' backends ok one '1.0, comes with Primus' '' backends missing two 'not found' 'pip install two'
  run -0 --separate-stderr doctor
  assert_contains "$output" '  yes      direct with one
  no       direct with two
           two: not found
           mend: pip install two'
}

@test "why an interpreter is the one" {
  local venv="$BATS_TEST_TMPDIR/a venv"
  mkdir -p "$venv/bin" "$ROOT/.venv/bin"
  cp "$PRIMUS_PYTHON" "$venv/bin/python"
  cp "$PRIMUS_PYTHON" "$ROOT/.venv/bin/python"
  cp "$PRIMUS_PYTHON" "$TOOLS/python3"
  run -0 doctor --venv "$venv"
  assert_contains "$output" "interpreter    $venv/bin/python (--venv)"
  unset PRIMUS_PYTHON
  VIRTUAL_ENV=$venv run -0 doctor
  assert_contains "$output" "interpreter    $venv/bin/python (VIRTUAL_ENV)"
  CONDA_PREFIX=$venv run -0 doctor
  assert_contains "$output" "interpreter    $venv/bin/python (CONDA_PREFIX)"
  run -0 doctor
  assert_contains "$output" "interpreter    $ROOT/.venv/bin/python (the project's own)"
  rm "$ROOT/.venv/bin/python"
  run -0 doctor
  assert_contains "$output" "interpreter    $TOOLS/python3 (first on PATH)"
}

@test "the launcher's configuration may name the interpreter" {
  local venv="$BATS_TEST_TMPDIR/a venv" real="$SOURCE_ROOT/.venv/bin/python"
  mkdir -p "$venv/bin"
  cp "$PRIMUS_PYTHON" "$venv/bin/python"
  printf 'direct:\n  venv: %s\n' "$venv" >site.yaml
  PRIMUS_PYTHON=$real run -0 --separate-stderr doctor --config site.yaml
  assert_contains "$output" "interpreter    $venv/bin/python (site.yaml:2)"
  printf 'direct: {venvv: x}\n' >site.yaml
  PRIMUS_PYTHON=$real run -2 --separate-stderr doctor --config site.yaml
  assert_contains "$stderr" "[primus] ERROR site.yaml:1: unknown option of direct 'venvv'"
  assert_equal "$output" ''
}

@test "accelerators that are hidden, missing or useless for the torch that is there" {
  fake nvidia-smi <<<'echo "GPU 0: NVIDIA H200 (UUID: GPU-x)"'
  CUDA_VISIBLE_DEVICES='' run -0 --separate-stderr doctor
  assert_contains "$output" '  warning  accelerators   nvidia devices are here, but hidden
           mend: unset CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES'
  python_says python ok torch 2.13.0+cpu '' python ok 'torch import' 'works, sees no device; collectives: gloo' '' backends ok one 1 ''
  run -0 --separate-stderr doctor --deep
  assert_contains "$output" "  warning  torch          2.13.0+cpu, built for the CPU alone
           mend: $PRIMUS_PYTHON -m pip install torch, from the index of this vendor's build: https://pytorch.org
  warning  torch import   works, sees no device; collectives: gloo
           mend: $PRIMUS_PYTHON -m pip install torch, from the index of this vendor's build: https://pytorch.org"
  assert_contains "$(<"$RECORDS/calls")" '-m primus.tools.doctor --deep'
  rm "$BATS_TEST_TMPDIR/bin/nvidia-smi" "$BATS_TEST_TMPDIR/bin/amd-smi"
  run -0 --separate-stderr doctor
  # A machine with devices shows its own here.
  [[ -e /dev/nvidia0 || -e /dev/kfd ]] || assert_contains "$output" '  none     accelerators   none: training takes the CPU'
}

@test "little memory, little disk, folders that cannot be written to" {
  FAKE_SHM=65536 FAKE_FREE=512000 run -0 --separate-stderr doctor
  assert_contains "$output" '  warning  shared memory  64 MiB; data loaders and collectives want more
           mend: mount -o remount,size=16G /dev/shm; in a container give it --shm-size=16g'
  assert_equal "$(section Storage)" "  warning  workspace      $WORK/output: 500 MiB free
           mend: set workspace in the experiment to another folder
  warning  data           $WORK/data: 500 MiB free
           mend: set PRIMUS_DATA_PATH, or give train --data_path, to another folder"
  : >output
  run -0 --separate-stderr doctor
  assert_contains "$output" "  warning  workspace      $WORK/output: $WORK/output is no folder that can be written to"
  fake df <<<'exit 1'
  run -0 --separate-stderr doctor
  assert_contains "$output" '  warning  shared memory  there is no /dev/shm'
  assert_contains "$output" "  warning  data           $WORK/data: its file system does not answer"
}

@test "enough open files, and those that could be had" {
  run -0 --separate-stderr bash -c '
    for lib in site doctor/facts doctor/host; do source "$1/runner/$lib.sh"; done
    facts=() accelerators=0
    ulimit() { case $1 in -Sn) echo "$SOFT" ;; -Hn) echo "$HARD" ;; *) echo unlimited ;; esac; }
    SOFT=1024 HARD=unlimited; _primus_doctor_limits
    SOFT=65536 HARD=65536; _primus_doctor_limits
    SOFT=unlimited HARD=unlimited; _primus_doctor_limits
    printf "%s|" "${facts[@]:0:5}" "${facts[@]:20:5}" "${facts[@]:40:5}"' bash "$ROOT"
  assert_equal "$output" 'limits|warning|open files|1024; large jobs want 65536|ulimit -n 65536|limits|ok|open files|65536||limits|ok|open files|unlimited||'
}

@test "a missing tool keeps direct mode from working" {
  rm "$TOOLS/flock" "$TOOLS/timeout"
  run -3 --separate-stderr doctor
  assert_contains "$output" '  missing  tools          no flock timeout on PATH
           mend: install coreutils, util-linux and mawk'
  assert_contains "$output" '  no       direct with torchtitan
           tools: no flock timeout on PATH'
  assert_contains "$output" '  ok       Python         3.12.1'
  assert_contains "$output" "  ok       workspace      $WORK/output: 50.0 GiB free"
}

@test "--json holds the same, and secrets in neither" {
  fake docker <<<'echo "cannot reach https://me:hunter22@proxy/" >&2; exit 1'
  python_says python ok torch 2 '' backends missing 'a "quoted" one' $'two\nlines\tand \\ more' 'pip install "x"'
  run -3 --separate-stderr doctor --json
  printf '%s' "$output" >report.json
  run -0 "$SOURCE_ROOT/.venv/bin/python" -c '
import json
report = json.load(open("report.json"))
print(sorted(report), sorted(report["facts"][0]))
print([fact for fact in report["facts"] if fact["area"] == "backends"])
print([fact["value"].rpartition(": ")[2] for fact in report["facts"] if fact["name"] == "docker"])
print(report["modes"][0])'
  assert_equal "$output" "['facts', 'modes'] ['area', 'name', 'remedy', 'state', 'value']
[{'area': 'backends', 'state': 'missing', 'name': 'a \"quoted\" one', 'value': 'two lines\\tand \\\\ more', 'remedy': 'pip install \"x\"'}]
['cannot reach https://me:***@proxy/']
{'mode': 'direct', 'backend': 'a \"quoted\" one', 'works': False, 'lacks': [{'what': 'a \"quoted\" one: two lines\\tand \\\\ more', 'remedy': 'pip install \"x\"'}]}"
}

@test "words and unknown options are refused" {
  run -2 --separate-stderr doctor now
  assert_equal "$stderr" '[primus] ERROR "now" is no option
[primus] see primus-cli doctor --help'
  run -2 --separate-stderr doctor --jsno
  assert_equal "$stderr" '[primus] ERROR unknown option --jsno
[primus] did you mean --json? see primus-cli doctor --help'
}

@test "nothing is written" {
  local before=''
  before=$(find "$WORK" "$ROOT" "$HOME")
  run -0 doctor --deep
  assert_equal "$(find "$WORK" "$ROOT" "$HOME")" "$before"
}
