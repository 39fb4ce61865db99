"""The request for a checkpoint that a signal makes, a while before a job ends or is moved.

USR2 makes it, and only where ``PRIMUS_SAVE_ON_SIGNAL=1`` says that somebody sends it with that meaning; NCCL uses
USR1 itself. A handler can do no more than note the request: trainers ask between two steps.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

ENABLED = "PRIMUS_SAVE_ON_SIGNAL"
STOP = "PRIMUS_STOP_AFTER_SAVE"
LEFT_STATUS = 128 + signal.SIGUSR2

_requested = False


def save_on_signal_enabled() -> bool:
    """Tell whether USR2 asks for a checkpoint in this run."""
    return os.environ.get(ENABLED) == "1"


def note_signal(number: int, frame: FrameType | None) -> None:
    """Note the request; the handler of USR2.

    Args:
        number: The signal.
        frame: Where it came.
    """
    global _requested
    _requested = _requested or (number == signal.SIGUSR2 and save_on_signal_enabled())


def save_requested() -> bool:
    """Tell whether this rank was asked for a checkpoint that has not been saved yet."""
    return _requested


def save_done() -> None:
    """Forget the request. Where the job is to go on elsewhere, leave training.

    Raises:
        SystemExit: With 128 + USR2, when ``PRIMUS_STOP_AFTER_SAVE=1``.
    """
    global _requested
    _requested = False
    if os.environ.get(STOP) == "1":
        raise SystemExit(LEFT_STATUS)
