"""However a job on several nodes ends: soon, with the right status, and a last line that says where and why."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.slurm.slurm_site import TRAIN, training_processes

pytestmark = pytest.mark.slow
SOON = 20
"""Seconds in which a job must have ended: 15, and some for a machine that does other things as well."""


def start(site, *words, nodes=2, flags=(), options=("--nproc", "1"), environ=None):
    """Start a step that would train for ten minutes."""
    command = ("slurm", "srun", f"-N{nodes}", *flags, "--", "direct", *options, "--", *TRAIN, "sleep=600")
    return site.start(*command, *words, **(environ or {}))


def find(site, words, node):
    """Return the pid of the process on a node whose command line holds the words."""
    space = os.readlink(f"/proc/{site.cluster.daemon(node)}/ns/net")
    for pid, command in training_processes(site.cluster).items():
        if words in command and "slurm-entry" not in command and os.readlink(f"/proc/{pid}/ns/net") == space:
            return pid
    raise AssertionError(f"no {words} on {node}")


def finish(process, began, within=SOON):
    _, err = process.communicate(timeout=60)
    took = time.monotonic() - began
    assert took < within, f"{took:.1f} s\n{err}"
    return process.returncode, err.splitlines()[-1]


def test_the_status_of_the_worker_that_failed_is_the_jobs(site):
    process = start(site, "fail_in=train", "fail_rank=1", "fail_how=exit 3")
    site.await_training(process, 2)
    code, last = finish(process, time.monotonic())
    assert code == 3
    where = r"node rank 1 \(node2\): rank 1 \(local rank 0, pid \d+\)"
    assert re.match(rf"\[primus\] ERROR {where} exited with status 3; its log: ", last)


def test_an_exception_of_one_rank_is_the_cause_though_others_end_by_signals(site):
    process = start(site, "fail_in=train", "fail_rank=0")
    site.await_training(process, 2)
    code, last = finish(process, time.monotonic())
    assert code == 1
    assert re.match(r"\[primus\] ERROR node rank 0 \(node1\): rank 0 .* exited with status 1; its log: ", last)


def test_a_killed_worker(site):
    process = start(site)
    site.await_training(process, 2)
    began = time.monotonic()
    os.kill(find(site, "-u -m primus.run", "node2"), signal.SIGKILL)
    code, last = finish(process, began)
    assert code == 137
    assert re.match(r"\[primus\] ERROR node rank 1 \(node2\): rank 1 .* was killed by signal SIGKILL; its log: ", last)


def test_a_killed_agent(site):
    process = start(site)
    site.await_training(process, 2)
    began = time.monotonic()
    os.kill(find(site, "primus.torchrun", "node2"), signal.SIGKILL)
    code, last = finish(process, began)
    assert (code, last) == (137, "[primus] ERROR node rank 1 (node2): was killed by signal KILL (status 137)")


def test_a_killed_slurmd(site):
    process = start(site, flags=("-w", "node2,node3"))
    site.await_training(process, 2)
    began = time.monotonic()
    os.kill(site.cluster.daemon("node3"), signal.SIGKILL)
    try:
        # Up to ten seconds pass until Slurm misses it: SlurmdTimeout is 5.
        code, last = finish(process, began, SOON + 10)
    finally:
        for pid in training_processes(site.cluster):
            os.kill(pid, signal.SIGKILL)
        site.cluster.restart("node3")
    assert code == 137
    assert re.match(r"\[primus\] ERROR Slurm lost a node.* \(NODE_FAIL\)", last)


def test_scancel(site):
    process = start(site)
    site.await_training(process, 2)
    job = re.search("job=(.*)", site.text("output/*/*/*/*/slurm/node-0-0"))[1]
    began = time.monotonic()
    site.cluster.run("scancel", job)
    assert finish(process, began) == (143, "[primus] ERROR the job was cancelled (CANCELLED)")


def test_a_node_without_the_interpreter(site):
    hook = site.work / "hooks/010-gone.sh"
    hook.parent.mkdir()
    hook.write_text('[[ $NODE_RANK != 1 ]] || printf "env.PRIMUS_PYTHON=/no/such/python\\n"\n')
    began = time.monotonic()
    process = start(site, environ={"PRIMUS_HOOKS_PATH": str(hook.parent)})
    code, last = finish(process, began)
    assert code == 3
    assert last.startswith("[primus] ERROR node rank 1 (node2): PRIMUS_PYTHON=/no/such/python: there is no interpreter")


def test_a_hook_that_fails_on_one_node_only(site):
    hook = site.work / "hooks/010-fails.sh"
    hook.parent.mkdir()
    hook.write_text('[[ $NODE_RANK != 2 ]] || { echo "the disk is gone" >&2; exit 7; }\n')
    began = time.monotonic()
    process = start(site, nodes=3, environ={"PRIMUS_HOOKS_PATH": str(hook.parent)})
    code, last = finish(process, began)
    assert code == 4
    assert last == f"[primus] ERROR node rank 2 (node3): hook {hook} exited with status 7, node rank 2"


def test_the_time_limit(kept_site, time_limited_job):
    assert kept_site.ended(time_limited_job, 150) == "TIMEOUT"
    (record,) = kept_site.records()
    log = (record / f"slurm/job-{time_limited_job}.out").read_text()
    assert log.splitlines()[-1] == "[primus] ERROR the job reached its time limit (TIMEOUT)"
    assert "status=143" in (record / "slurm/node-0-0").read_text()
    shown = kept_site.run("slurm", "status", str(record)).stdout.splitlines()
    assert shown[0].startswith(f"job:     {time_limited_job} TIMEOUT (TimeLimit) after 00:01:") and "node4" in shown[0]
    assert Path(shown[1].removeprefix("record:  ")) == record
