"""Whole launches in a copy of the project whose path holds a space and an apostrophe."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("primus-cli", "VERSION", "constraints.txt", "runner", "primus", "examples")


@dataclass
class Project:
    """A copy of the project.

    Attributes:
        root: Its folder.
        environ: What launches get; holds no variable of a surrounding job.
    """

    root: Path
    environ: dict[str, str]

    def add_fixture(self, name: str) -> None:
        """Lay a fixture's files over the tree, as a user pastes a backend into it."""
        shutil.copytree(ROOT / "tests/fixtures" / name, self.root, dirs_exist_ok=True)

    def start(self, *args: str, **environ: str) -> subprocess.Popen[str]:
        """Start primus-cli in a process group of its own."""
        return subprocess.Popen(
            ["./primus-cli", *args],
            cwd=self.root,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *args: str, timeout: float = 240, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run primus-cli to its end; kill the whole group and fail when it hangs."""
        process = self.start(*args, **environ)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"primus-cli {' '.join(args)} hung for {timeout} s\n{out}\n{err}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def train(self, *overrides: str, config: str, options: tuple[str, ...] = (), **kwargs):
        """Run ``primus-cli direct [options] -- train pretrain --config config [overrides]``."""
        return self.run("direct", *options, "--", "train", "pretrain", "--config", config, *overrides, **kwargs)

    def run_dirs(self) -> list[Path]:
        """Return the records of all runs, oldest first."""
        found = [path.parent for path in (self.root / "output").glob("*/*/*/*/logs")]
        return sorted(found, key=lambda path: path.stat().st_ctime_ns)


def clean_environ() -> dict[str, str]:
    """Return an environment for launches, with this interpreter and nothing of a surrounding job."""
    names = ("PATH", "HOME", "LANG", "TMPDIR")
    environ = {name: os.environ[name] for name in names if name in os.environ}
    return {**environ, "PRIMUS_PYTHON": sys.executable, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def copy_project(folder: Path) -> Path:
    """Copy the product, without tests and results, into a folder."""
    folder.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / part)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A fresh copy of the project; no process started by a test may outlive it."""
    root = copy_project(tmp_path / "it's a root")
    yield Project(root, clean_environ())
    left = processes_mentioning(str(root))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == {}, f"processes were left behind: {left}"


def processes_mentioning(text: str) -> dict[int, str]:
    """Return command lines of processes whose working folder or arguments mention a text."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            cwd = os.readlink(entry / "cwd")
        except OSError:
            continue
        if text in command or text in cwd:
            found[int(entry.name)] = command
    return found
