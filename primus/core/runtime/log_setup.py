"""Configures the ``primus`` logger, once per process."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from primus.core.utils.env import get_torchrun_env

logger = logging.getLogger("primus")


def configure_logging(stderr_level: str = "INFO", file_level: str | None = None) -> None:
    """Send the ``primus`` logger to stderr and, when asked, to a file of this rank in the run's record.

    Args:
        stderr_level: Lowest level on stderr.
        file_level: Lowest level in ``<run>/logs/rank-<rank>.sink.log``; None for no such file.
    """
    env = get_torchrun_env()
    formatter = logging.Formatter(
        f"[%(asctime)s] [rank {env.rank}/{env.world_size}] [%(levelname)s] %(message)s", "%Y-%m-%d %H:%M:%S"
    )
    for handler in logger.handlers[:]:
        logger.removeHandler(handler)
        handler.close()
    handlers: list[tuple[logging.Handler, str]] = [(logging.StreamHandler(sys.stderr), stderr_level)]
    run_dir = os.environ.get("PRIMUS_RUN_DIR")
    if file_level and run_dir:
        folder = Path(run_dir, "logs")
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"rank-{env.rank:05d}.sink.log"
        handlers.append((logging.FileHandler(file, encoding="utf-8"), file_level))
    for handler, level in handlers:
        handler.setLevel(level.upper())
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    logger.setLevel(min(handler.level for handler in logger.handlers))
    logger.propagate = False
