"""Launches on a real Slurm: a login host and four nodes on this machine."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.slurm_cluster import ROOT, Cluster, missing, needed_below_tmp
from tests.containers import podman as podmans
from tests.end_to_end.slurm.slurm_site import KEPT, TRAIN, Site, await_true, training_processes

PARTS = ("primus-cli", "VERSION", "constraints.txt", "runner", "primus", "examples")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster of four nodes, for all tests of the session."""
    problem = missing()
    if problem:
        pytest.skip(problem)
    with Cluster(4, needed_below_tmp()) as running:
        yield running


@pytest.fixture(scope="session")
def checkout(cluster: Cluster) -> Path:
    """The product with two backends for tests, on the cluster's shared file system."""
    root = cluster.shared / "it's a root"
    root.mkdir()
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, root / part)
    for name in ("dummy", "counting"):
        shutil.copytree(ROOT / "tests/fixtures" / name, root, dirs_exist_ok=True)
    return root


@pytest.fixture(scope="session")
def kept_site(cluster: Cluster, checkout: Path) -> Site:
    """The working folder of the job that is kept."""
    return make_site(cluster, checkout, KEPT)


@pytest.fixture(scope="session")
def time_limited_job(kept_site: Site) -> str:
    """The number of a job that trains until its time limit, a minute, which Slurm looks at every half minute."""
    return kept_site.submit(
        *("-N1", "-w", "node4", "-t", "1", "--signal=B:USR2@1", "--", "direct", "--nproc", "1", "--", *TRAIN),
        *("sleep=600", f"exp_name={KEPT}"),
    )


@pytest.fixture
def site(cluster: Cluster, checkout: Path, time_limited_job: str) -> Iterator[Site]:
    """A working folder on the shared file system; no job and no process may outlive the test."""
    made = make_site(cluster, checkout, f"work {time.monotonic_ns()}")
    yield made
    for job in cluster.run("squeue", "-h", "-o", "%A").split():
        if job != time_limited_job:
            cluster.run("scancel", job)
    await_true(lambda: not training_processes(cluster), 20)
    shutil.rmtree(made.work)


@pytest.fixture(scope="session")
def podman(cluster: Cluster) -> Iterator[podmans.Podman]:
    """A podman whose storage all nodes see."""
    problem = podmans.missing()
    if problem:
        pytest.skip(problem)
    folder = cluster.base / "podman"
    folder.mkdir()
    running = podmans.start(folder)
    yield running
    running.stop()


@pytest.fixture
def in_podman(site: Site, podman: podmans.Podman) -> tuple[str, ...]:
    """The words for a container made of this host's own files, with what it has to see."""
    site.environ.update(podman.environ)
    words = ["container", "--rootfs", "/:O", "--runtime", "podman"]
    for folder in sorted({sys.prefix, sys.base_prefix}):
        words += ["-v", f"{folder}:{folder}:ro"]
    return (*words, "-v", str(site.root), "--env", f"PRIMUS_PYTHON={sys.executable}")


def make_site(cluster: Cluster, checkout: Path, name: str) -> Site:
    work = cluster.shared / name
    work.mkdir()
    (work / "examples").symlink_to(checkout / "examples")
    environ = {
        **cluster.environ(),
        "HOME": str(work),
        "PRIMUS_PYTHON": sys.executable,
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }
    return Site(cluster, checkout, work, environ)
