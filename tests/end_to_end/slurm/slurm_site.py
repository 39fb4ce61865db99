"""What tests on the Slurm cluster share: a view of it from the login host, and waiting."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.slurm_cluster import ROOT, Cluster

DUMMY = "examples/dummy/configs/dummy_8B-pretrain.yaml"
TRAIN = ("train", "pretrain", "--config", DUMMY)
VALUES = [
    *("plain", "", " ", "two words", "tab\there", "new\nline", "-dash", "--", "*", "?", "[a]", "a|b", "a;b", "a&b"),
    *("$HOME", "$(touch pwned)", "`touch pwned`", "${x}", "$$", "it's", '"quoted"', "back\\slash", "\\", "~"),
    *("#no", "!x", "a=b=c", "a,b", "{x,y}", "<in>out", "é ü", "%q%s%%"),
]

__all__ = ["DUMMY", "KEPT", "ROOT", "TRAIN", "VALUES", "Site", "await_true", "training_processes"]
GONE = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY")
KEPT = "kept_to_the_time_limit"
"""The experiment of the job that runs beside all tests until its time limit ends it."""


@dataclass
class Site:
    """One test's view of the cluster, from its login host.

    Attributes:
        cluster: The cluster.
        root: The product.
        work: The working folder, which also holds the runs.
        environ: What launches get.
    """

    cluster: Cluster
    root: Path
    work: Path
    environ: dict[str, str]

    def start(self, *argv: str, host: str = "login", **environ: str) -> subprocess.Popen[str]:
        """Start a command on a host, in a process group of its own; ``slurm`` means the launcher's."""
        command = [str(self.root / "primus-cli"), *argv] if argv[0] == "slurm" else list(argv)
        return subprocess.Popen(
            self.cluster.command(*command, host=host, cwd=self.work),
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *argv: str, timeout: float = 90, host: str = "login", **environ: str):
        """Run a command to its end; kill it and fail when it hangs."""
        process = self.start(*argv, host=host, **environ)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"{argv} hung for {timeout} s\n{out}\n{err}")
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    def submit(self, *argv: str, **environ: str) -> str:
        """Queue a job by the launcher, and return its number."""
        result = self.run("slurm", "sbatch", *argv, **environ)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def job(self, number: str) -> dict[str, str]:
        """Return what Slurm says about a job."""
        text = self.cluster.run("scontrol", "-o", "show", "job", number)
        return dict(re.findall(r"(?:^|\s)([A-Za-z/:]+)=(\S*)", text))

    def ended(self, number: str, seconds: float = 60) -> str:
        """Wait for a job's end and return its state."""
        await_true(lambda: self.job(number)["JobState"] in GONE, seconds)
        return self.job(number)["JobState"]

    def await_training(self, process: subprocess.Popen[str], ranks: int, seconds: float = 60) -> None:
        """Wait until so many ranks of the dummy backend train; fail when the launch ends before."""

        def trains() -> bool:
            if process.poll() is not None:
                out, err = process.communicate()
                pytest.fail(f"the launch ended with status {process.returncode}\n{out}\n{err}")
            return self.text("output/*/*/*/*/logs/rank-*[0-9].log").count("plain line of rank") >= ranks

        await_true(trains, seconds)

    def records(self) -> list[Path]:
        """Return the folders of all runs, oldest first."""
        found = {path.parent for path in self.work.glob("output/*/*/*/*/*") if path.name in ("slurm", "logs")}
        return sorted(found, key=lambda path: path.stat().st_ctime_ns)

    def text(self, pattern: str) -> str:
        """Return everything in the files of the working folder that match."""
        return "".join(path.read_text() for path in sorted(self.work.glob(pattern)))


def await_true(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        time.sleep(0.05)


def training_processes(cluster: Cluster) -> dict[int, str]:
    """Return the launcher's and the training's processes on the nodes, but for those of the job that is kept."""
    found = {}
    for pid in cluster.processes():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        words = ("slurm-entry", "primus.torchrun", "primus.run", "commands/direct")
        if KEPT not in command and any(word in command for word in words):
            found[pid] = command
    return found
