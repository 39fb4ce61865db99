"""A sign of life on stderr while something takes long."""

from __future__ import annotations

import sys
import time


class Progress:
    """Say how far it is, at most every few seconds, and nothing at all when it is over soon.

    Args:
        interval: Seconds before the first line and between lines.
    """

    def __init__(self, interval: float = 3.0) -> None:
        self.interval = interval
        self._next = time.monotonic() + interval

    def report(self, text: str) -> None:
        """Show a line if it is time.

        Args:
            text: What is being done, and how far.
        """
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self.interval
            say(text)


def say(text: str) -> None:
    """Write one line about the corpus to stderr.

    Args:
        text: The line.
    """
    sys.stderr.write(f"[primus] corpus: {text}\n")
    sys.stderr.flush()
