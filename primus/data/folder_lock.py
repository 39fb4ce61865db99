"""One builder at a time, for processes on many nodes that share a folder.

The lock is a file created with O_CREAT|O_EXCL, which is atomic on local file systems, NFSv3 and newer, Lustre and
GPFS. flock is not enough here: NFS mounted with ``nolock`` and Lustre without ``-o flock`` refuse it or keep it
to one node. The holder rewrites the file every few seconds. Whoever waits and sees it unchanged for a while, by
its own clock, takes the holder for dead; so clocks of nodes are never compared.

The lock saves work, it does not guard the result: that appears by one rename. Should a holder be taken for dead
although it lives, two processes build the same thing and one of them throws its copy away.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from primus.core.errors import LaunchEnvironmentError
from primus.data.progress import say

HEARTBEAT_SECONDS = 2.0
STALE_SECONDS = 30.0
POLL_SECONDS = 0.2


@contextmanager
def folder_lock(
    path: Path,
    *,
    timeout: float,
    finished: Callable[[], bool],
    heartbeat: float = HEARTBEAT_SECONDS,
    stale: float = STALE_SECONDS,
) -> Iterator[bool]:
    """Hold the lock while the block runs; enter it without the lock when the work turns out to be done.

    Args:
        path: The lock's file.
        timeout: Seconds to wait for another holder.
        finished: Tells whether the work is done; asked while waiting.
        heartbeat: Seconds between signs of life.
        stale: Seconds without a sign of life after which a holder is taken for dead.

    Yields:
        True when the lock is held and the work is this process's to do.

    Raises:
        LaunchEnvironmentError: The time is over.
    """
    token = f"{socket.gethostname()} {os.getpid()} {uuid.uuid4().hex}"
    if not _acquire(path, token, timeout, finished, stale):
        yield False
        return
    stop = threading.Event()
    beating = threading.Thread(target=_beat, args=(path, token, heartbeat, stop), daemon=True)
    beating.start()
    try:
        yield True
    finally:
        stop.set()
        beating.join()
        if _owner(_content(path)) == token:
            path.unlink(missing_ok=True)


def _acquire(path: Path, token: str, timeout: float, finished: Callable[[], bool], stale: float) -> bool:
    start = unchanged_since = time.monotonic()
    seen = ""
    told = False
    while True:
        if finished():
            return False
        if _create(path, token):
            return True
        content = _content(path)
        now = time.monotonic()
        if content != seen:
            seen, unchanged_since = content, now
        holder = " process ".join(content.split(" ")[:2]) or "an unknown process"
        if now - unchanged_since > stale:
            say(f"{holder} stopped while it held {path}; going on without it")
            _break(path, content)
            continue
        if now - start > timeout:
            raise LaunchEnvironmentError(
                f"corpus: waited {timeout:.0f} s for {path}, held by {holder}",
                f"wait for it, raise corpus.lock_timeout_seconds, or end that process and remove {path}",
            )
        if not told and now - start > 1:
            say(f"waiting for {holder}, which builds the same corpus")
            told = True
        time.sleep(POLL_SECONDS)


def _create(path: Path, token: str) -> bool:
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{token} 0")
    return True


def _content(path: Path) -> str:
    # Opening asks the server again: NFS keeps attributes for a while, but not across an open.
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _owner(content: str) -> str:
    return content.rpartition(" ")[0]


def _beat(path: Path, token: str, heartbeat: float, stop: threading.Event) -> None:
    count = 0
    while not stop.wait(heartbeat):
        count += 1
        if _owner(_content(path)) != token:
            return
        try:
            with path.open("r+", encoding="utf-8") as file:
                file.write(f"{token} {count}")
        except OSError:
            # A server that is away for a moment; the next beat comes soon.
            continue


def _break(path: Path, content: str) -> None:
    """Remove a dead holder's lock, unless another waiter was quicker and holds it by now."""
    aside = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        path.rename(aside)
    except OSError:
        return
    if _content(aside) != content:
        try:
            os.link(aside, path)
        except OSError:
            say(f"{path} changed hands; the same corpus may be built twice")
    aside.unlink(missing_ok=True)
