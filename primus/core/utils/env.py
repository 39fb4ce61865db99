"""The distributed environment that torchrun sets for each rank."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from primus.core.errors import LaunchEnvironmentError


@dataclass(frozen=True)
class TorchrunEnv:
    """Place of this process in the job.

    Attributes:
        rank: Global rank, from 0.
        local_rank: Rank on this node, from 0.
        world_size: Number of ranks of the job.
        local_world_size: Number of ranks on this node.
        master_addr: Host name or address of the rank 0 store.
        master_port: TCP port of the rank 0 store.
    """

    rank: int
    local_rank: int
    world_size: int
    local_world_size: int
    master_addr: str
    master_port: int


def _integer(environ: Mapping[str, str], name: str, default: int, minimum: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < minimum:
        raise LaunchEnvironmentError(
            f"environment variable {name} must be an integer of at least {minimum}, got {text!r}",
            f"unset {name}, or let the launcher set it",
        )
    return int(text)


def get_torchrun_env(environ: Mapping[str, str] | None = None) -> TorchrunEnv:
    """Read the distributed environment; a process started without torchrun is rank 0 of 1.

    Args:
        environ: Environment to read; the process's own when omitted.

    Raises:
        LaunchEnvironmentError: A variable is not a number, or a rank lies outside its world.
    """
    source = os.environ if environ is None else environ
    world_size = _integer(source, "WORLD_SIZE", 1, 1)
    rank = _integer(source, "RANK", 0, 0)
    local_world_size = _integer(source, "LOCAL_WORLD_SIZE", 1, 1)
    local_rank = _integer(source, "LOCAL_RANK", 0, 0)
    for name, value, size_name, size in (
        ("RANK", rank, "WORLD_SIZE", world_size),
        ("LOCAL_RANK", local_rank, "LOCAL_WORLD_SIZE", local_world_size),
    ):
        if value >= size:
            raise LaunchEnvironmentError(
                f"{name}={value} lies outside {size_name}={size}",
                "start ranks with torchrun or the launcher, which set both",
            )
    return TorchrunEnv(
        rank=rank,
        local_rank=local_rank,
        world_size=world_size,
        local_world_size=local_world_size,
        master_addr=source.get("MASTER_ADDR") or "127.0.0.1",
        master_port=_integer(source, "MASTER_PORT", 29500, 0),
    )
