"""primus-cli slurm srun on two nodes and more."""

import json
import os
import re
import shlex
import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.slurm.slurm_site import DUMMY, TRAIN, VALUES

pytestmark = pytest.mark.slow
TWO_BY_TWO = ("slurm", "srun", "-N2", "--", "direct", "--nproc", "2", "--")

RECORD = """
import json, os, socket, sys
from pathlib import Path
name = f"rank-{os.environ.get('SLURM_NODEID', 0)}.json"
Path(os.environ["RECORD_TO"], name).write_text(json.dumps([sys.argv[1:], dict(os.environ), socket.gethostname()]))
"""


@pytest.fixture
def recorder(site):
    """A program in the place of the training, which writes down what it gets."""
    (site.work / "record.py").write_text(RECORD)
    (site.work / "out").mkdir()
    site.environ["RECORD_TO"] = str(site.work / "out")
    site.environ["PRIMUS_RUN_MODE"] = "single"
    return site


def recorded(site):
    files = sorted((site.work / "out").glob("*.json"))
    return [json.loads(path.read_text()) for path in files]


def test_two_nodes_with_two_ranks_each_train_as_one(site):
    result = site.run(*TWO_BY_TWO, *TRAIN)
    assert result.returncode == 0, result.stderr
    (record,) = site.records()
    for rank in range(4):
        log = (record / f"logs/rank-{rank:05d}.log").read_text()
        assert f"[DummyTrainer] rank {rank} of 4 at {rank % 2} in train" in log
    assert "[DummyTrainer] rank 0 of 4" in result.stdout
    hosts = [re.search("host=(.*)", (record / f"slurm/node-0-{node}").read_text())[1] for node in range(2)]
    assert hosts == ["node1", "node2"]
    assert sorted(path.name for path in (record / "slurm").iterdir()) == ["node-0-0", "node-0-1"]
    # Every node has a launcher's log of its own.
    assert "plain line of rank 0" in (record / "logs/node-00000.log").read_text()
    assert "plain line of rank 0" not in (record / "logs/node-00001.log").read_text()


def test_32_values_arrive_byte_for_byte(recorder):
    assert len(VALUES) == 32
    result = recorder.run("slurm", "srun", "-N2", "--", "direct", "--script", "record.py", "--", "go", *VALUES)
    assert result.returncode == 0, result.stderr
    assert [argv for argv, *_ in recorded(recorder)] == [["go", *VALUES]] * 2
    assert not (recorder.work / "pwned").exists()


def test_32_values_arrive_byte_for_byte_through_a_batch_script(recorder):
    options = ("--wait", "-N2", "--", "direct", "--script", "record.py", "--", "go")
    result = recorder.run("slurm", "sbatch", *options, *VALUES)
    assert result.returncode == 0, result.stderr
    assert [argv for argv, *_ in recorded(recorder)] == [["go", *VALUES]] * 2
    assert not (recorder.work / "pwned").exists()


def test_the_environment_is_that_of_direct_and_what_is_documented(recorder):
    odd = {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "odd_Case": "a 'b' \"c\"\nd", "EMPTY": ""}
    command = ("direct", "--env", "given=by option", "--script", "record.py", "--", "go")
    assert recorder.run(str(recorder.root / "primus-cli"), *command, **odd).returncode == 0
    ((_, direct, _),) = recorded(recorder)
    assert recorder.run("slurm", "srun", "-N2", "--", *command, **odd).returncode == 0
    for node, (_, slurm, host) in enumerate(recorded(recorder)):
        assert {name: slurm[name] for name in odd} == odd
        assert slurm["given"] == "by option"
        assert host == f"node{node + 1}"
        different = {name for name in {*direct, *slurm} if direct.get(name) != slurm.get(name)}
        documented = {
            *("NNODES", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "PRIMUS_RUN_ID", "PRIMUS_LOG_FILE"),
            *("PRIMUS_LOG_LEVEL", "PRIMUS_TEE_PIDS", "PRIMUS_FAILURE_FILE", "PRIMUS_SAVE_ON_SIGNAL"),
            *("SHLVL", "_", "TMPDIR", "HOSTNAME"),
        }
        assert {name for name in different - documented if not name.startswith(("SLURM_", "SLURMD_", "SRUN_"))} == set()


def test_ranks_are_those_of_the_devices_that_slurm_gives(site):
    result = site.run("slurm", "srun", "-N1", "--gpus-per-node=2", "--", *TRAIN, "device=cpu")
    assert result.returncode == 0, result.stderr
    assert "[DummyTrainer] rank 0 of 2" in result.stdout


def test_two_jobs_at_once_on_the_same_nodes_do_not_meet(site):
    flags = ("slurm", "srun", "-w", "node1,node2", "-N2", "--", "direct", "--nproc", "1", "--")
    jobs = [site.start(*flags, *TRAIN, f"hello=job{number}", "show_env=MASTER_PORT") for number in range(2)]
    outputs = [job.communicate(timeout=90) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], outputs
    ports = [re.search("env MASTER_PORT='(.*)'", out)[1] for out, _ in outputs]
    assert len(set(ports)) == 2
    assert [f"hello='job{number}'" in outputs[number][0] for number in range(2)] == [True, True]
    first, second = site.records()
    assert first != second
    for record in (first, second):
        names = sorted(path.name for path in (record / "logs").iterdir() if "sink" not in path.name)
        assert names == ["node-00000.log", "node-00001.log", "rank-00000.log", "rank-00001.log"]


def test_a_step_on_some_nodes_of_an_allocation_meets_at_its_own_first_node(site):
    cli = shlex.quote(str(site.root / "primus-cli"))
    step = f"{cli} slurm srun -w node2,node4 -N2 -- direct --nproc 1 -- train pretrain --config {DUMMY}"
    result = site.run("salloc", "-N4", "bash", "-c", f"{step} show_env=MASTER_ADDR")
    assert result.returncode == 0, result.stderr
    assert "env MASTER_ADDR='node2'" in result.stdout


def test_a_signal_to_the_launcher_cancels_the_job_in_good_order(site):
    marker = site.work / "marker"
    process = site.start(*TWO_BY_TWO, *TRAIN, "sleep=600", f"marker={marker}")
    site.await_training(process, 4)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 143, err
    print(site.text("output/*/*/*/*/logs/rank-*[0-9].log")[-6000:], err, site.text("output/*/*/*/*/slurm/*"))
    assert sorted(marker.read_text().splitlines()) == [f"rank {rank} on_error=True" for rank in range(4)]
    assert err.splitlines()[-1] == "[primus] ERROR ended by signal TERM"


def test_a_secret_is_on_no_command_line_and_in_no_file_but_reaches_training(site):
    secret = "hf_S3CRETs3cretS3CRETs3"
    command = ("slurm", "srun", "-N2", "--", "direct", "--nproc", "1", "--env", f"MY_TOKEN={secret}", "--")
    process = site.start(*command, *TRAIN, "sleep=3", "show_env=HOME", HF_TOKEN=f"{secret}2")
    seen, given = [], False
    while process.poll() is None:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
                if b"primus.run" in line:
                    given = given or f"MY_TOKEN={secret}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                continue
            # What the user typed stands in the first two processes, until the launcher starts itself anew.
            typed = not given and (b"primus-cli" in line or b"commands/slurm\0" in line)
            if secret.encode() in line and not typed:
                seen.append(line)
        time.sleep(0.02)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert given and not seen
    assert secret not in out + err + site.text("output/**/*.*")
    assert not list(site.work.glob("output/*/*/*/*/slurm/private"))


def test_dry_run_goes_to_full_depth_and_does_nothing(site):
    before = sorted(site.work.iterdir())
    result = site.run("slurm", "srun", "--dry-run", "-N2", "--", "direct", "--nproc", "2", "--", *TRAIN)
    assert result.returncode == 0, result.stderr
    assert sorted(site.work.iterdir()) == before
    assert " srun --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=60 -N2 bash " in result.stdout
    assert re.search(r"# Slurm says: srun: Job \d+ to start at ", result.stdout)
    assert "-m primus.torchrun --nnodes 2 --node_rank 0" in result.stdout


def test_the_command_of_a_dry_run_can_be_pasted(site):
    shown = site.run("slurm", "srun", "--dry-run", "-N1", "--", "direct", "--nproc", "1", "--", *TRAIN).stdout
    (command,) = [line for line in shown.splitlines() if line.startswith("env -C ")]
    result = site.run("bash", "-c", command)
    assert "[DummyTrainer] training finished" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("argv", "status", "lines"),
    [
        (
            ("srun", "--ntaks", "2", "--", *TRAIN),
            2,
            ["srun: unrecognized option '--ntaks'", 'Try "srun --help" for more information'],
        ),
        (
            ("sbatch", "--swep", "a=1", "--", *TRAIN),
            2,
            ["[primus] ERROR unknown option --swep", "[primus] did you mean --sweep? see primus-cli slurm --help"],
        ),
        (
            ("sbatch", "-N2"),
            2,
            [
                "[primus] ERROR there is nothing to run",
                "[primus] primus-cli slurm [srun|sbatch|salloc] [Slurm's flags] -- train pretrain --config FILE",
            ],
        ),
        (("srun", "-N2", "--", *TRAIN, "train_itres=1", "--hello"), 0, None),
    ],
)
def test_a_mistake_is_told_before_anything_is_queued(site, argv, status, lines):
    jobs = site.cluster.run("squeue", "-h", "-t", "all")
    result = site.run("slurm", *argv)
    if lines:
        assert result.returncode != 0
        assert [line for line in result.stderr.splitlines() if "run /" not in line][: len(lines)] == lines
        assert site.cluster.run("squeue", "-h", "-t", "all").count("\n") == jobs.count("\n")


def test_an_experiment_with_a_mistake_is_refused_before_it_is_queued(site):
    (site.work / "bad.yaml").write_text("modules: {pre_trainer: {framework: dumy}}\n")
    for action in ("srun", "sbatch"):
        result = site.run("slurm", action, "-N2", "--", "train", "pretrain", "--config", "bad.yaml")
        assert result.returncode == 2
        assert "dumy" in result.stderr and "queued" not in result.stderr
    assert not (site.work / "output").exists()


def test_a_login_host_without_python_leaves_the_check_to_the_nodes(site):
    # In a folder that each node has for itself; the login host has none there.
    python = Path("/tmp/python-of-the-node")
    for number in range(1, 5):
        wrapper = site.cluster.base / f"node{number}" / str(python).lstrip("/")
        wrapper.write_text(f'#!/bin/sh\nexec {site.environ["PRIMUS_PYTHON"]} "$@"\n')
        wrapper.chmod(0o755)
    command = ("slurm", "srun", "-N1", "--", "direct", "--nproc", "1", "--", *TRAIN)
    result = site.run(*command, PRIMUS_PYTHON=str(python))
    assert "this host has no Python with PyYAML: the experiment is checked on the nodes" in result.stderr
    assert result.returncode == 0, result.stderr
    assert "[DummyTrainer] training finished" in result.stdout
