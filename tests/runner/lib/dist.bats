#!/usr/bin/env bats
# Nodes, ranks, accelerators and where they meet.

load ../helper
setup() { setup_project; }

nvidia() {
  fake nvidia-smi <<E2
[[ \$* == -L ]] || exit 2
for ((i = 0; i < $1; i++)); do echo "GPU \$i: NVIDIA H200 (UUID: GPU-0000000\$i-0000-0000-0000-000000000000)"; done
${2-}
E2
}

rocm() {
  fake rocm-smi <<E2
echo; echo; echo '============================ ROCm System Management Interface ============================'
for ((i = 0; i < $1; i++)); do
  printf 'GPU[%d]\t\t: Device Name: \t\tAMD Instinct MI300X\nGPU[%d]\t\t: Device ID: \t\t0x74a1\n' "\$i" "\$i"
done
E2
}

amd() {
  fake amd-smi <<E2
for ((i = 0; i < $1; i++)); do
  printf 'GPU: %d\n    BDF: 0000:%02x:00.0\n    UUID: 00ff74a1-0000-1000-800%d-000000000000\n    KFD_ID: 1\n    PARTITION_ID: 0\n\n' "\$i" "\$i" "\$i"
done
E2
}

# The number of ranks that a launch gives torchrun.
ranks() {
  rm -f "$RECORDS/argv"
  train "$@" >/dev/null || return
  local -a argv=()
  mapfile -d '' -t argv <"$RECORDS/argv"
  local -i i=0
  for ((i = 0; i < ${#argv[@]}; i++)); do
    if [[ ${argv[i]} == --nproc_per_node ]]; then printf '%s' "${argv[i + 1]}"; fi
  done
}

recorded_port() { tr '\0' '\n' <"$RECORDS/argv" | sed -n '/^--master_port$/{n;p;}'; }

@test "devices are counted with whichever tool is there" {
  local count=''
  for count in 1 4 8; do
    nvidia "$count"
    assert_equal "$(ranks)" "$count"
    rm "$BATS_TEST_TMPDIR/bin/nvidia-smi"
    rocm "$count"
    assert_equal "$(ranks)" "$count"
    amd "$count"
    assert_equal "$(ranks)" "$count"
    rm "$BATS_TEST_TMPDIR/bin/rocm-smi"
    assert_equal "$(ranks)" "$count"
    rm "$BATS_TEST_TMPDIR/bin/amd-smi"
  done
}

@test "a device partitioned into eight is eight devices with AMD, and one with NVIDIA" {
  amd 64
  assert_equal "$(ranks)" 64
  nvidia 1 'for ((i = 0; i < 7; i++)); do echo "  MIG 1g.18gb     Device  $i: (UUID: MIG-0000)"; done'
  assert_equal "$(ranks)" 1
}

@test "a tool that fails or prints noise is no accelerator" {
  fake nvidia-smi <<<'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9'
  fake rocm-smi <<<'echo GPU noise; echo "ERROR: no driver" >&2; exit 1'
  fake nproc <<<'echo 64'
  assert_equal "$(ranks)" 2
}

@test "without an accelerator two ranks, one on a single core" {
  fake nproc <<<'echo 64'
  assert_equal "$(ranks)" 2
  fake nproc <<<'echo 1'
  assert_equal "$(ranks)" 1
  fake nproc <<<'exit 1'
  assert_equal "$(ranks)" 1
}

@test "visible-device variables are kept, and counted" {
  nvidia 8
  assert_equal "$(CUDA_VISIBLE_DEVICES=2,3 ranks)" 2
  assert_equal "$(recorded_env CUDA_VISIBLE_DEVICES)" 2,3
  assert_equal "$(CUDA_VISIBLE_DEVICES=GPU-1,GPU-2,GPU-3 ranks)" 3
  fake nproc <<<'echo 64'
  assert_equal "$(CUDA_VISIBLE_DEVICES='' ranks)" 2
  assert_equal "$(CUDA_VISIBLE_DEVICES=-1 ranks)" 2
  rm "$BATS_TEST_TMPDIR/bin/nvidia-smi"
  rocm 8
  assert_equal "$(HIP_VISIBLE_DEVICES=2,3 ranks)" 2
  assert_equal "$(recorded_env HIP_VISIBLE_DEVICES)" 2,3
  assert_equal "$(ROCR_VISIBLE_DEVICES=1,2,3 ranks)" 3
  assert_equal "$(CUDA_VISIBLE_DEVICES=1 ranks)" 1
  assert_equal "$(CUDA_VISIBLE_DEVICES=1 HIP_VISIBLE_DEVICES=1,2 ranks)" 2
}

@test "both AMD variables: a warning, and the devices that both let through" {
  rocm 8
  ROCR_VISIBLE_DEVICES=4,5,6,7 HIP_VISIBLE_DEVICES=0,1,9 run -0 --separate-stderr train
  assert_contains "$stderr" 'WARNING ROCR_VISIBLE_DEVICES=4,5,6,7 and HIP_VISIBLE_DEVICES=0,1,9 are both set: the second counts within the first'
  assert_contains "$stderr" 'WARNING HIP_VISIBLE_DEVICES=0,1,9 names device 9, but there are only 4'
  assert_equal "$(recorded_env GPUS_PER_NODE)" 2
}

@test "the number of ranks: option over environment over Slurm over devices" {
  nvidia 8
  assert_equal "$(ranks)" 8
  export SLURM_GPUS_ON_NODE=4
  assert_equal "$(ranks)" 8
  export SLURMD_NODENAME=n1
  assert_equal "$(ranks)" 4
  export GPUS_PER_NODE=3
  assert_equal "$(ranks)" 3
  assert_equal "$(ranks --nproc 2)" 2
}

@test "settings that are no numbers are refused and never executed" {
  local name='' value=''
  for name in NNODES NODE_RANK GPUS_PER_NODE MASTER_PORT; do
    for value in 08 -1 1.5 x '1 2' 9999999999 'a[$(touch pwn)]' '$(touch pwn)' '1;touch pwn' '0x10' $'1\n2'; do
      run -2 --separate-stderr env "$name=$value" "$ROOT/primus-cli" direct --nnodes 2 --master-addr h --run-id r -- train pretrain --config exp.yaml
      [[ $name == NNODES ]] || assert_contains "$stderr" "[primus] ERROR $name is \"$value\", which is no whole number from "
    done
    value='a[$(touch pwn)]'
    run -2 env "$name=$value" "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml
  done
  for name in SLURM_STEP_NUM_NODES SLURM_NODEID SLURM_STEP_NUM_TASKS; do
    run -2 --separate-stderr env "$name=a[\$(touch pwn)]" "$ROOT/primus-cli" direct -- train pretrain --config exp.yaml
    assert_equal "$stderr" "[primus] ERROR $name is \"a[\$(touch pwn)]\", which is no whole number
[primus] Slurm sets $name for primus-cli: unset it outside of Slurm"
  done
  run -2 --separate-stderr train --nproc 0
  assert_equal "$stderr" '[primus] ERROR --nproc is "0", which is no whole number from 1
[primus] correct --nproc for primus-cli'
  run -2 train --master-port 65536
  [[ ! -e pwn && ! -e $RECORDS/calls ]]
}

@test "a node rank outside of the nodes is refused" {
  run -2 --separate-stderr train --nnodes 2 --node-rank 2 --master-addr h --run-id r
  assert_equal "$stderr" '[primus] ERROR node rank 2 (--node-rank) of 2 nodes (--nnodes)
[primus] node ranks count from 0: correct --node-rank for primus-cli'
  NODE_RANK=1 run -2 train
}

@test "several nodes need a rank, a place to meet and a run id in common" {
  NNODES=2 run -2 --separate-stderr train
  assert_equal "$stderr" '[primus] ERROR 2 nodes (NNODES), but which one this is was not said
[primus] give primus-cli direct --node-rank N, or set NODE_RANK, on each node'
  NNODES=2 NODE_RANK=1 run -2 --separate-stderr train
  assert_equal "$stderr" '[primus] ERROR 2 nodes (NNODES), but where they meet was not said
[primus] give primus-cli direct --master-addr HOST, or set MASTER_ADDR: the host of node rank 0, the same on all nodes'
  NNODES=2 NODE_RANK=1 MASTER_ADDR=h run -2 --separate-stderr train
  assert_equal "$stderr" '[primus] ERROR 2 nodes share one run, but have no run id in common
[primus] give primus-cli direct --run-id ID, or set PRIMUS_RUN_ID, the same on all nodes'
}

@test "everything comes from Slurm's step" {
  export SLURM_JOB_ID=1234 SLURM_STEP_ID=0 SLURM_STEP_NUM_NODES=4 SLURM_NODEID=03 SLURM_STEP_NUM_TASKS=4 \
    SLURM_STEP_NODELIST='n[08-10],gpu-a' SLURM_NODELIST='x[1-8]' SLURM_NNODES=8
  run -0 train
  assert_equal "$(recorded_env NNODES) $(recorded_env NODE_RANK) $(recorded_env MASTER_ADDR)" '4 3 n08'
  assert_equal "$(recorded_env PRIMUS_RUN_ID)" slurm-1234.0
  local port=''
  port=$(recorded_port)
  ((port >= 20000 && port < 32000))
  SLURM_NODEID=1 run -0 train
  assert_equal "$(recorded_port)" "$port"
  SLURM_RESTART_COUNT=1 run -0 train
  assert_equal "$(recorded_env PRIMUS_RUN_ID)" slurm-1234.0
  SLURM_STEP_ID=1 run -0 train
  [[ $(recorded_port) != "$port" ]]
  MASTER_PORT=4321 run -0 train
  assert_equal "$(recorded_port)" 4321
  MASTER_ADDR=elsewhere run -0 train
  assert_equal "$(recorded_env MASTER_ADDR)" elsewhere
}

@test "an allocation without a step is one node" {
  SLURM_JOB_ID=7 SLURM_NNODES=8 SLURM_NODELIST='n[1-8]' SLURM_PROCID=0 run -0 train
  assert_equal "$(recorded_env NNODES)" 1
  assert_equal "$(recorded_env PRIMUS_RUN_ID)" slurm-7
}

@test "more than one launcher on a node is refused" {
  SLURM_STEP_NUM_NODES=2 SLURM_STEP_NUM_TASKS=16 SLURM_NODEID=0 run -2 --separate-stderr train
  assert_equal "$stderr" "[primus] ERROR Slurm's step starts 16 launchers on 2 nodes
[primus] primus-cli starts the ranks itself: srun --ntasks-per-node=1 ..."
}

@test "one node: torchrun finds a free port; a port that was set is kept" {
  run -0 train
  assert_contains "$(tr '\0' ' ' <"$RECORDS/argv")" ' --standalone '
  MASTER_PORT=4321 run -0 train
  assert_contains "$(tr '\0' ' ' <"$RECORDS/argv")" ' --nnodes 1 --node_rank 0 --master_addr 127.0.0.1 --master_port 4321 '
}

listen() {
  python3 -c '
import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
sys.stdin.read()' <"$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/port" 3>&- &
}

@test "a port that is taken is told by the node that needs it" {
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  listen
  exec 9>"$BATS_TEST_TMPDIR/fifo"
  await test -s "$BATS_TEST_TMPDIR/port"
  local port=''
  port=$(<"$BATS_TEST_TMPDIR/port")
  MASTER_PORT=$port run -3 --separate-stderr train
  assert_equal "$stderr" "[primus] ERROR port $port (MASTER_PORT) is taken on this host, node rank 0
[primus] primus-cli keeps a port that was set: set MASTER_PORT to a free one, the same on all nodes"
  MASTER_PORT=$port run -0 train --nnodes 2 --node-rank 1 --master-addr 127.0.0.1 --run-id r
  exec 9>&-
}

@test "names and addresses of this host are equals; a foreign one is a warning on node rank 0" {
  local name=''
  for name in localhost 127.0.0.1 "$(hostname)" "$(hostname -s)" "$(hostname -s).some.domain"; do
    run -0 --separate-stderr train --nnodes 2 --node-rank 0 --master-addr "$name" --run-id r
    refute_contains "$stderr" WARNING
  done
  fake getent <<<'exit 2'
  run -0 --separate-stderr train --nnodes 2 --node-rank 0 --master-addr far.away --run-id r
  assert_contains "$stderr" '[primus] WARNING MASTER_ADDR=far.away (--master-addr) is neither a name nor an address of this host, node rank 0'
  run -0 --separate-stderr train --nnodes 2 --node-rank 1 --master-addr far.away --run-id r
  refute_contains "$stderr" WARNING
}

@test "Slurm's list of hosts is expanded without Slurm" {
  # shellcheck source=runner/site.sh
  source "$ROOT/runner/site.sh"
  local -a hosts=()
  primus_hostlist_expand hosts 'n[01-03,7],gpu-a'
  assert_list hosts n01 n02 n03 n7 gpu-a
  primus_hostlist_expand hosts 'r[1-2]n[8-10]x,single'
  assert_list hosts r1n8x r1n9x r1n10x r2n8x r2n9x r2n10x single
  primus_hostlist_expand hosts 'a[098-101]'
  assert_list hosts a098 a099 a100 a101
  local bad=''
  for bad in '' 'n[1' 'n]1' 'n[a-b]' 'n[$(touch pwn)]' 'n[1-2' 'n[]'; do
    run -2 primus_hostlist_expand hosts "$bad"
  done
  [[ ! -e pwn ]]
}

@test "--numa is torchrun's own binding; without devices it is told and left out" {
  run -0 --separate-stderr train --numa
  assert_contains "$stderr" '[primus] WARNING --numa (--numa) has no effect: this host has no accelerator'
  refute_contains "$(tr '\0' ' ' <"$RECORDS/argv")" numa
  nvidia 2
  run -0 train --numa
  assert_contains "$(tr '\0' ' ' <"$RECORDS/argv")" ' --nproc_per_node 2 --numa_binding node '
  PRIMUS_NUMA=1 run -0 train
  assert_contains "$(tr '\0' ' ' <"$RECORDS/argv")" ' --numa_binding node '
  PRIMUS_NUMA=1 run -0 train --no-numa
  refute_contains "$(tr '\0' ' ' <"$RECORDS/argv")" numa
  PRIMUS_NUMA=maybe run -2 train
  run -2 train --single --numa
}
