"""Whole launches in a copy of the project whose path holds a space and an apostrophe."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.launches import Project, clean_environ, copy_project, processes_mentioning


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A fresh copy of the project; no process started by a test may outlive it."""
    root = copy_project(tmp_path / "it's a root")
    yield Project(root, clean_environ())
    left = processes_mentioning(str(root))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == {}, f"processes were left behind: {left}"
