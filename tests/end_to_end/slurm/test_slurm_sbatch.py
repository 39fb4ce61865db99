"""primus-cli slurm sbatch and salloc, what becomes of their jobs, and batch scripts of the user's own."""

import re
import signal
import subprocess

import pytest

from tests.end_to_end.slurm.slurm_site import DUMMY, ROOT, TRAIN, await_true

pytestmark = pytest.mark.slow
ONE_RANK = ("--", "direct", "--nproc", "1", "--", *TRAIN)


def test_a_batch_job_trains_on_all_its_nodes_and_waiting_returns_its_status(site):
    result = site.run("slurm", "sbatch", "--wait", "-N2", *ONE_RANK)
    assert result.returncode == 0, result.stderr
    job = result.stdout.strip()
    (record,) = site.records()
    log = record / f"slurm/job-{job}.out"
    assert result.stderr.splitlines() == [
        f"[primus] job {job} is queued; run {record.name}",
        f"[primus] log:    {log}",
        f"[primus] follow: primus-cli slurm logs {job}",
        f"[primus] cancel: primus-cli slurm cancel {job}",
    ]
    assert "[DummyTrainer] rank 0 of 2 at 0 in train" in log.read_text()
    assert (record / "logs/rank-00001.log").exists()
    # The script in the record says everything: submitted again it goes on with the same run.
    again = site.run("sbatch", "--parsable", str(record / "slurm/job.sh"))
    assert site.ended(again.stdout.strip()) == "COMPLETED"
    assert site.records() == [record]
    assert (record / "logs/rank-00000.1.log").exists()


def test_the_status_of_a_batch_job_is_that_of_the_worker_that_failed(site):
    words = ("fail_in=train", "fail_rank=1", "fail_how=exit 17", "sleep=600")
    result = site.run("slurm", "sbatch", "--wait", "-N2", *ONE_RANK, *words)
    job = result.stdout.strip()
    assert result.returncode == 17, result.stderr
    assert site.job(job)["ExitCode"] == "17:0"
    assert re.match(
        rf"\[primus\] ERROR job {job}: node rank 1 \(node\d\): rank 1 .* exited with status 17; its log: ",
        result.stderr.splitlines()[-1],
    )


def test_flags_reach_slurm_in_every_form_and_keep_every_character(site):
    comment = "a b; touch ./pwned \"q\" 'r' \\ # $HOME"
    flags = ("-N", "1", "--exclusive", "--comment", comment, "-Jmy job", "--time=5")
    shown = site.run("slurm", "sbatch", "--dry-run", *flags, *ONE_RANK).stdout
    script = site.work / "shown.sh"
    script.write_text(shown[shown.index("#!/usr/bin/env bash") : shown.index("# command:")])
    jobs = [site.submit("--hold", *flags, *ONE_RANK)]
    # The directives alone say the same as the command line.
    jobs.append(site.run("sbatch", "--parsable", "--hold", str(script)).stdout.strip())
    for job in jobs:
        text = site.cluster.run("scontrol", "show", "job", job)
        assert f"Comment={comment} \n" in text
        assert "JobName=my job\n" in text and "TimeLimit=00:05:00" in text and "OverSubscribe=NO" in text
    assert not (site.work / "pwned").exists()


def test_defaults_come_from_the_launchers_configuration_and_the_command_line_wins(site):
    (site.work / ".primus.yaml").write_text(
        "slurm:\n  partition: urgent\n  exclusive: true\n  requeue: false\n  time: 7\n  save-seconds: 33\n"
    )
    job = site.job(site.submit("--hold", "-t", "9", *ONE_RANK))
    assert (job["Partition"], job["OverSubscribe"], job["Requeue"], job["TimeLimit"]) == (
        "urgent",
        "NO",
        "0",
        "00:09:00",
    )
    assert "#SBATCH --signal=B:USR2@33\n" in site.text("output/*/*/*/*/slurm/job.sh")


def test_a_sweep_runs_one_experiment_for_each_combination(site):
    values = ("--sweep", "hello=a b,[c,$HOME]", "--sweep", "train_iters=1,2")
    result = site.run("slurm", "sbatch", "--wait", "-N1", *values, "--", "direct", "--single", "--", *TRAIN)
    assert result.returncode == 0, result.stderr
    records = [path for path in site.records() if (path / "logs").exists()]
    run = min(site.records(), key=lambda path: len(path.name)).name
    assert sorted(path.name for path in records) == [f"{run}-{number}" for number in range(4)]
    seen = []
    for number in range(4):
        text = (records[0].parent / f"{run}-{number}/logs/node-00000.log").read_text()
        config = (records[0].parent / f"{run}-{number}/config.yaml").read_text()
        iterations = re.search(r"train_iters: (\d+)", config)[1]
        seen.append((re.search("hello=(.*)", text)[1], iterations))
    assert seen == [("'a b'", "1"), ("'a b'", "2"), ("['c', '$HOME']", "1"), ("['c', '$HOME']", "2")]


def test_a_sweep_with_one_value_that_cannot_be_is_refused_as_a_whole(site):
    result = site.run("slurm", "sbatch", "--sweep", "train_iters=1,2", "--sweep", "x", *ONE_RANK)
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        2,
        '[primus] ERROR --sweep "x" is not KEY=A,B,...',
    )


def test_a_secret_of_a_batch_job_waits_in_a_file_that_nobody_else_reads_and_is_gone_after(site):
    secret = "hf_S3CRETs3cretS3CRETs3"
    program = "import os; raise SystemExit(os.environ['MY_TOKEN'][3:] != 'S3CRET' + 's3cret' + 'S3CRETs3')"
    (site.work / "check.py").write_text(program)
    command = ("-N1", "--", "direct", "--single", "--env", f"MY_TOKEN={secret}", "--script", "check.py", "--", *TRAIN)
    job = site.submit("--hold", *command)
    (record,) = site.records()
    assert (record / "slurm/private").stat().st_mode & 0o777 == 0o600
    assert secret not in site.cluster.run("scontrol", "write", "batch_script", job, "-")
    assert secret not in (record / "slurm/job.sh").read_text()
    site.cluster.run("scontrol", "release", job)
    assert site.ended(job) == "COMPLETED"
    assert not (record / "slurm/private").exists()
    assert secret not in site.text("output/*/*/*/*/slurm/*")


def test_status_logs_and_cancel_take_a_job_a_run_or_its_folder(site):
    job = site.submit("-N2", *ONE_RANK, "sleep=600")
    (record,) = site.records()
    log = record / f"slurm/job-{job}.out"
    await_true(lambda: log.exists() and "plain line of rank 0" in log.read_text(), 60)
    for name in (job, record.name, str(record)):
        result = site.run("slurm", "status", name)
        lines = result.stdout.splitlines() + result.stderr.splitlines()
        assert re.match(rf"job:     {job} RUNNING after 00:00:\d\d on node", lines[0])
        assert lines[1:] == [
            f"record:  {record}",
            *(f"node {node} (start 1, {host}): training, or killed" for node, host in enumerate(nodes(record))),
        ]
        assert site.run("slurm", "logs", name).stdout == log.read_text()
    result = site.run("slurm", "cancel", record.name)
    assert (result.returncode, result.stderr) == (0, f"[primus] job {job} was cancelled\n")
    assert site.ended(job) == "CANCELLED"


def nodes(record):
    return [re.search("host=(.*)", (record / f"slurm/node-0-{node}").read_text())[1] for node in range(2)]


def test_following_a_log_shows_lines_as_they_come(site):
    job = site.submit("-N1", *ONE_RANK, "sleep=600")
    (record,) = site.records()
    await_true((record / f"slurm/job-{job}.out").exists, 60)
    process = site.start("slurm", "logs", "--follow", job)
    for line in process.stdout:
        if line == "plain line of rank 0\n":
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == -signal.SIGINT


def test_an_unknown_run_is_an_error_of_two_lines(site):
    result = site.run("slurm", "status", "no-such-run")
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        2,
        "[primus] ERROR there is no record of the run or job no-such-run below ./output",
    )


def test_salloc_holds_nodes_as_long_as_the_training_lasts(site):
    result = site.run("slurm", "salloc", "-N2", *ONE_RANK, "fail_in=train", "fail_how=exit 5")
    assert result.returncode == 5, result.stderr
    assert site.cluster.run("squeue", "-h", "-n", "bash").strip() == ""


@pytest.mark.parametrize("name", ["two_nodes", "array", "launcher"])
def test_the_batch_scripts_of_the_examples_train(site, name):
    settings = {"PRIMUS_ROOT": str(site.root), "EXPERIMENT": DUMMY, "GPUS_PER_NODE": "1"}
    result = site.run("sbatch", "--parsable", str(ROOT / f"examples/slurm/{name}.sbatch"), **settings)
    state = site.ended(result.stdout.strip())
    logs = site.text("*.out")
    assert state == "COMPLETED", logs
    assert "[DummyTrainer] training finished" in logs
    assert "of 2 at 0 in train" in logs or name == "array"


def test_a_launch_without_slurm_says_what_is_missing(site):
    bare = site.work / "bin"
    bare.mkdir()
    for name in ("bash", "env"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    result = subprocess.run(
        [str(site.root / "primus-cli"), "slurm", "srun", "-N2", "--", *TRAIN],
        cwd=site.work,
        env={**site.environ, "PATH": str(bare)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 3
    assert result.stderr.splitlines() == [
        "[primus] ERROR there is no srun on PATH",
        "[primus] install Slurm's client tools, or use primus-cli direct",
    ]
