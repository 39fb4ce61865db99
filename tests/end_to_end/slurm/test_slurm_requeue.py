"""A job that is about to end saves, is queued again, and goes on with the same run."""

import re

import pytest

from tests.end_to_end.slurm.slurm_site import await_true

pytestmark = pytest.mark.slow
COUNTING = ("--", "direct", "--nproc", "1", "--", "train", "pretrain", "--config", "examples/counting.yaml")
LONG = ("steps=80", "seconds=0.1")


def steps(text, rank=0):
    return [int(number) for number in re.findall(rf"step (\d+) of rank {rank}\n", text)]


def log_of(site, job):
    (record,) = site.records()
    path = record / f"slurm/job-{job}.out"
    return path.read_text() if path.exists() else ""


def test_a_warned_job_saves_is_queued_again_and_counts_on_without_a_gap(site):
    job = site.submit("-N2", "--requeue-on-preempt", *COUNTING, *LONG)
    await_true(lambda: len(steps(log_of(site, job))) > 5, 60)
    site.cluster.run("scancel", "--signal=USR2", "--batch", job)
    await_true(lambda: site.job(job)["Restarts"] == "1", 30)
    assert site.ended(job, 90) == "COMPLETED"
    (record,) = site.records()
    log = log_of(site, job)
    assert steps(log) == list(range(1, 81))
    assert f"[primus] the job is queued again; run {record.name} goes on from its last complete checkpoint" in log
    assert re.search(rf"\[primus\] job {job} on node\[\d-\d\], start 2\n", log)
    # Both starts of both nodes have left how they ended.
    states = {path.name: re.search("status=(.*)", path.read_text())[1] for path in (record / "slurm").glob("node-*")}
    assert states == {"node-0-0": "140", "node-0-1": "140", "node-1-0": "0", "node-1-1": "0"}
    assert "start 2" in site.run("slurm", "status", job).stdout


def test_a_job_that_a_more_urgent_one_pushes_aside_goes_on_after_it(site):
    job = site.submit("-w", "node1,node2", "-N2", "--requeue-on-preempt", *COUNTING, *LONG)
    await_true(lambda: len(steps(log_of(site, job))) > 5, 60)
    urgent = ("srun", "-p", "urgent", "--exclusive", "-w", "node1,node2", "-N2", "true")
    assert site.run(*urgent).returncode == 0
    assert site.ended(job, 90) == "COMPLETED"
    assert steps(log_of(site, job)) == list(range(1, 81))
    assert site.job(job)["Restarts"] == "1"


def test_a_warned_job_saves_and_trains_on_where_it_was_not_to_be_queued_again(site):
    job = site.submit("-N1", *COUNTING, "steps=60", "seconds=0.1")
    await_true(lambda: len(steps(log_of(site, job))) > 3, 60)
    site.cluster.run("scancel", "--signal=USR2", "--batch", job)
    assert site.ended(job) == "COMPLETED"
    assert steps(log_of(site, job)) == list(range(1, 61))
    (record,) = site.records()
    assert [path for path in (record / "checkpoints").iterdir() if (path / "complete").exists()]


def test_requeueing_is_bounded(site):
    job = site.submit("-N1", "--requeue-on-preempt", "--max-requeues", "0", *COUNTING, "steps=60", "seconds=0.1")
    await_true(lambda: len(steps(log_of(site, job))) > 3, 60)
    site.cluster.run("scancel", "--signal=USR2", "--batch", job)
    assert site.ended(job) == "COMPLETED"
    assert site.job(job)["Restarts"] == "0"


def test_a_backend_that_cannot_save_is_queued_again_before_the_end_all_the_same(site):
    words = ("--", "direct", "--nproc", "1", "--", "train", "pretrain", "--config")
    flags = ("-N1", "--requeue-on-preempt", "--save-seconds", "4")
    job = site.submit(*flags, *words, "examples/dummy/configs/dummy_8B-pretrain.yaml", "sleep=600")
    await_true(lambda: "plain line" in log_of(site, job), 60)
    site.cluster.run("scancel", "--signal=USR2", "--batch", job)
    await_true(lambda: site.job(job)["Restarts"] == "1", 30)
    site.cluster.run("scancel", job)
    assert len(site.records()) == 1
