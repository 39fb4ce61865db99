"""Warnings that no user of TorchTitan can act on.

Upstream, torchtitan 0.2.0-0.2.2 with torch 2.13: ``torchdata/stateful_dataloader`` calls the deprecated
``torch.set_vital``; ``distributed/utils.py``, ``set_pg_timeouts`` also sets timeouts of the fake groups that
``ParallelDims`` makes for degrees of 1; DTensor warns about random numbers on a CPU mesh, which initialisation alone
draws; ``maybe_enable_amp`` asks for autocast to float32, which is none.
"""

from __future__ import annotations

import warnings

from primus.core.patches import PatchContext, register_patch

MESSAGES = (
    "'set_vital' is deprecated",
    "Set timeout is now only supported for either nccl or gloo",
    "DTensor random operators may not have complete support on cpu device mesh",
    "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently",
    "In CPU autocast, but the target dtype is not supported",
)


@register_patch(
    "torchtitan.log.known_warnings",
    backend="torchtitan",
    phase="setup",
    backend_version=">=0.2,<0.3",
    description="hide warnings that no user can act on",
)
def hide(ctx: PatchContext) -> None:
    """Ignore these messages, and no others.

    Args:
        ctx: State of the run.
    """
    for message in MESSAGES:
        warnings.filterwarnings("ignore", message=rf"\s*{message}", category=UserWarning)
