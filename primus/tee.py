"""Wait at exit for the processes that copy this one's output to a log file.

The launcher's ``--log-file`` puts ``tee`` behind standard output and standard error, and then becomes this
process, whose end is all that the user's shell waits for. Without a wait here the last lines could reach the
console and the file after the next prompt.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

_SECONDS = 2.0


def wait_for_tee_at_exit() -> None:
    """Arrange the wait; it comes after everything that is registered later, and after a last traceback."""
    if os.environ.get("PRIMUS_TEE_PIDS"):
        atexit.register(wait_for_tee)


def wait_for_tee(seconds: float = _SECONDS) -> None:
    """Close this process's output and wait until its tee processes have written what they hold.

    A process that is not their parent, such as a rank, returns at once.

    Args:
        seconds: The longest wait: something that still runs may hold the other end.
    """
    words = os.environ.get("PRIMUS_TEE_PIDS", "").split()
    waiting = [pid for pid in map(int, filter(str.isdecimal, words)) if _is_running_child(pid)]
    if not waiting:
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    deadline = time.monotonic() + seconds
    while waiting and time.monotonic() < deadline:
        waiting = [pid for pid in waiting if _is_running_child(pid)]
        time.sleep(0.002)


def _is_running_child(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False
