"""Rank-aware logging: thin names over one standard logger.

The rank stands in every line's prefix (``primus.core.runtime.log_setup``), so these functions only
choose which ranks speak.
"""

from __future__ import annotations

import logging

from primus.core.utils.env import get_torchrun_env

logger = logging.getLogger("primus")


def is_rank_0() -> bool:
    """Tell whether this process is global rank 0."""
    return get_torchrun_env().rank == 0


def log_rank_all(message: object, *args: object, level: int = logging.INFO) -> None:
    """Log on every rank.

    Args:
        message: Text, with ``%`` places for ``args`` if there are any.
        args: Values, formatted only when the line is shown.
        level: A level of ``logging``.
    """
    logger.log(level, message, *args, stacklevel=2)


def log_rank_0(message: object, *args: object, level: int = logging.INFO) -> None:
    """Log on global rank 0 alone; arguments as for ``log_rank_all``."""
    if is_rank_0():
        logger.log(level, message, *args, stacklevel=2)


def debug_rank_0(message: object, *args: object) -> None:
    """Log at level DEBUG on global rank 0 alone."""
    if is_rank_0():
        logger.debug(message, *args, stacklevel=2)


def warning_rank_0(message: object, *args: object) -> None:
    """Log at level WARNING on global rank 0 alone."""
    if is_rank_0():
        logger.warning(message, *args, stacklevel=2)


def error_rank_0(message: object, *args: object) -> None:
    """Log at level ERROR on global rank 0 alone."""
    if is_rank_0():
        logger.error(message, *args, stacklevel=2)
