"""Whole launches in a copy of the project whose path holds a space and an apostrophe."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
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


def wait_for(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait until a condition holds.

    Args:
        condition: Asked again and again.
        what: Told when it never came true.
        seconds: How long to wait at most.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"{what}: not within {seconds} s")
        time.sleep(0.02)


def await_no_process(text: str) -> None:
    """Wait until no process mentions a text any more."""
    wait_for(lambda: not processes_mentioning(text), f"the processes of {text} end")


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
