#!/usr/bin/env python3
"""Prepares the corpus that a TorchTitan experiment asks for; see primus/backends/torchtitan/corpus_hook.py."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[6]))


def _leave(number: int, frame: FrameType | None) -> None:
    """End by an exception, so that locks and half-written folders are removed on the way out."""
    sys.exit(128 + number)


if __name__ == "__main__":
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, _leave)
    from primus.backends.torchtitan.corpus_hook import main

    sys.exit(main(sys.argv[1:]))
