"""Containers as the nodes' part of a Slurm job."""

import json

import pytest

from tests.end_to_end.slurm.slurm_site import TRAIN, VALUES, await_true

pytestmark = pytest.mark.slow
RECORD = """
import json, os, socket, sys
with open(f"out-{os.environ['NODE_RANK']}.json", "w") as file:
    json.dump([sys.argv[1:], dict(os.environ), socket.gethostname()], file)
"""


def test_32_values_arrive_byte_for_byte_through_a_batch_script_and_a_container(site, in_podman):
    (site.work / "record.py").write_text(RECORD)
    inner = ("--script", "record.py", "--single", "--", "go", *VALUES)
    result = site.run("slurm", "sbatch", "--wait", "-N2", "--", *in_podman, "--", *inner, timeout=120)
    assert result.returncode == 0, result.stderr + site.text("output/**/*.out")
    answers = [json.loads((site.work / f"out-{node}.json").read_text()) for node in range(2)]
    assert [argv for argv, *_ in answers] == [["go", *VALUES]] * 2
    assert not (site.work / "pwned").exists()


def test_ranks_in_containers_on_two_nodes_train_as_one(site, podman, in_podman):
    result = site.run("slurm", "srun", "-N2", "--", *in_podman, "--", "--nproc", "2", "--", *TRAIN, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    (record,) = site.records()
    for rank in range(4):
        assert f"rank {rank} of 4 at {rank % 2} in train" in (record / f"logs/rank-{rank:05d}.log").read_text()
    assert podman.containers() == []


def test_no_container_survives_scancel(site, podman, in_podman):
    job = site.submit("-N2", "--", *in_podman, "--", "--nproc", "1", "--", *TRAIN, "sleep=600")
    await_true(lambda: site.text("output/*/*/*/*/logs/rank-*[0-9].log").count("plain line of rank") >= 2, 90)
    assert len(podman.containers()) == 2
    site.cluster.run("scancel", job)
    assert site.ended(job) == "CANCELLED"
    await_true(lambda: podman.containers() == [], 20)
