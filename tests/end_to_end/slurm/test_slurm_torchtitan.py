"""TorchTitan's debug model on two nodes with two ranks each: the losses of four ranks on one host."""

import json

import pytest
import yaml

from tests.end_to_end.slurm.conftest import make_site
from tests.end_to_end.slurm.slurm_site import ROOT, await_true

pytestmark = pytest.mark.slow
STEPS = 10
SMALL = {
    "training": {"steps": STEPS, "seq_len": 64, "local_batch_size": 2, "mixed_precision_param": "float32"},
    "metrics": {"log_freq": 1},
    "checkpoint": {"enable": True, "interval": 1000, "last_save_model_only": False},
}
DEMO = ROOT / "examples/torchtitan/configs/cpu/llama3_debug-pretrain.yaml"


@pytest.fixture(scope="module")
def experiment(cluster):
    """The demo's experiment on little data, and a folder in which the first launch prepares that."""
    data = yaml.safe_load(DEMO.read_text())
    data["modules"]["pre_trainer"]["overrides"].update(SMALL)
    file = cluster.shared / "small.yaml"
    file.write_text(yaml.safe_dump(data))
    return str(file)


@pytest.fixture(scope="module")
def titan_environ(cluster):
    return {"PRIMUS_DATA_PATH": str(cluster.shared / "data"), "GPUS_PER_NODE": "2"}


@pytest.fixture(scope="module")
def one_host(cluster, checkout, experiment, titan_environ):
    """The losses of four ranks on the login host."""
    site = make_site(cluster, checkout, "one host")
    command = ("direct", "--nproc", "4", "--", "train", "pretrain", "--config", experiment)
    result = site.run(str(checkout / "primus-cli"), *command, timeout=240, **titan_environ)
    assert result.returncode == 0, result.stdout + result.stderr
    return losses(site)


def losses(site):
    """Return loss and gradient norm of each step in the record of the only run."""
    (record,) = site.records()
    rows = [json.loads(line) for line in (record / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == list(range(1, STEPS + 1))
    return [(row["loss"], row["grad_norm"]) for row in rows]


def test_srun_gives_the_losses_of_one_host(site, experiment, titan_environ, one_host):
    command = ("slurm", "srun", "-N2", "--", "train", "pretrain", "--config", experiment)
    result = site.run(*command, timeout=240, **titan_environ)
    assert result.returncode == 0, result.stdout + result.stderr
    assert losses(site) == one_host
    assert one_host[-1][0] < one_host[0][0] - 0.5


def test_containers_on_both_nodes_give_them_too(site, experiment, titan_environ, one_host, in_podman, cluster):
    command = ("slurm", "srun", "-N2", "--", *in_podman, "-v", str(cluster.shared), "--", "--nproc", "2", "--")
    result = site.run(*command, "train", "pretrain", "--config", experiment, timeout=240, **titan_environ)
    assert result.returncode == 0, result.stdout + result.stderr
    assert losses(site) == one_host


def test_a_batch_job_that_was_warned_and_queued_again_gives_them_too(site, experiment, titan_environ, one_host):
    command = ("-N2", "--requeue-on-preempt", "--", "train", "pretrain", "--config", experiment)
    job = site.submit(*command, **titan_environ)
    (record,) = site.records()
    metrics = record / "metrics.jsonl"
    await_true(lambda: metrics.exists() and metrics.read_text().count("\n") >= 3, 240)
    site.cluster.run("scancel", "--signal=USR2", "--batch", job)
    assert site.ended(job, 240) == "COMPLETED", site.text("output/*/*/*/*/slurm/*.out")
    assert site.job(job)["Restarts"] == "1"
    assert losses(site) == one_host


def test_a_batch_script_of_the_users_own_gives_them_too(site, experiment, titan_environ, one_host):
    settings = {**titan_environ, "PRIMUS_ROOT": str(site.root), "EXPERIMENT": experiment}
    job = site.run("sbatch", "--parsable", str(ROOT / "examples/slurm/two_nodes.sbatch"), **settings).stdout.strip()
    assert site.ended(job, 240) == "COMPLETED", site.text("*.out")
    assert losses(site) == one_host
