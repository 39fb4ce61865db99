"""For hooks written in Python: control lines, and a lock. Standard library only.

    from primus.hooks import env, extra, lock

    with lock("/shared/data/.lock", seconds=600):
        prepare()
    env("MY_BACKEND_FLAG", "1")
    extra("training.dataset_path", "/shared/data")

Whatever else a hook prints on stdout is shown to people, and means nothing.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def env(name: str, value: object) -> None:
    """Set an environment variable for the hooks that follow and for the training.

    Args:
        name: Letters, digits and underscores.
        value: Its text; one line.

    Raises:
        ValueError: The name or the value cannot stand in a control line.
    """
    _say("env", _VARIABLE, name, value)


def extra(name: str, value: object) -> None:
    """Add an argument to the training's, before the user's own, which win.

    Args:
        name: Dotted key without the two hyphens.
        value: Its text, read like a value on the command line; one line.

    Raises:
        ValueError: The name or the value cannot stand in a control line.
    """
    _say("extra", _ARGUMENT, name, value)


@contextmanager
def lock(path: str | os.PathLike[str], seconds: float) -> Iterator[None]:
    """Hold a lock that one process on all nodes of a shared folder can have; it ends with the process at the latest.

    Args:
        path: The lock file; its folder is made.
        seconds: The longest wait.

    Raises:
        TimeoutError: Another process still has it.
    """
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as stream:
        deadline = time.monotonic() + seconds
        told = False
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise TimeoutError(f"{file} was not free within {seconds:g} s") from None
                if not told:
                    sys.stderr.write(f"[primus] waiting for another process, which holds {file}\n")
                    told = True
                time.sleep(0.1)
        yield


def _say(kind: str, pattern: re.Pattern[str], name: str, value: object) -> None:
    text = str(value)
    if not pattern.fullmatch(name):
        raise ValueError(f"{kind}: {name!r} is no name that a control line can hold")
    if "\n" in text or "\0" in text:
        raise ValueError(f"{kind}: the value of {name} does not fit on one line; write it to a file")
    sys.stdout.write(f"{kind}.{name}={text}\n")
    sys.stdout.flush()
