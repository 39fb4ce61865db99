"""The wait for the copies of the output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, subprocess, sys
read, write = os.pipe()
tee = subprocess.Popen(["bash", "-c", "sleep 0.3; cat >\\"$0\\"", sys.argv[1]], stdin=read)
os.close(read)
os.dup2(write, 1)
os.close(write)
os.environ["PRIMUS_TEE_PIDS"] = str(tee.pid)
from primus.tee import wait_for_tee_at_exit
wait_for_tee_at_exit()
print("last words")
"""


def test_the_process_ends_after_its_output_has_been_copied(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run([sys.executable, "-c", PROGRAM, str(copy)], check=True)
    assert copy.read_text() == "last words\n"


def test_an_uncaught_exception_is_still_copied(tmp_path: Path) -> None:
    program = PROGRAM.replace("os.dup2(write, 1)", "os.dup2(write, 1); os.dup2(write, 2)")
    program += "raise RuntimeError('odd end')\n"
    copy = tmp_path / "copy"
    assert subprocess.run([sys.executable, "-c", program, str(copy)], check=False).returncode == 1
    assert copy.read_text().endswith("RuntimeError: odd end\n")


def test_a_process_that_is_not_the_parent_returns_at_once() -> None:
    from primus.tee import wait_for_tee

    os.environ["PRIMUS_TEE_PIDS"] = f"{os.getppid()} 1 x"
    try:
        wait_for_tee()
        os.fstat(1)
    finally:
        del os.environ["PRIMUS_TEE_PIDS"]
