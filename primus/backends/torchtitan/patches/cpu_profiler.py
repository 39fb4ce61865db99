"""The profiler gets ``None`` for the device's activity on a host without an accelerator.

Upstream: torchtitan 0.2.0-0.2.2, ``tools/profiling.py``, ``maybe_enable_profiling``: ``gpu_device_profiled`` stays
None and is put into ``activities``; torch 2.13 refuses it ("Expected ProfilerActivity or dict").
"""

from __future__ import annotations

from typing import Any

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch


@register_patch(
    "torchtitan.cpu.profiler",
    backend="torchtitan",
    phase="prepare",
    backend_version=">=0.2,<0.3",
    condition=on_cpu,
    description="profile the CPU alone",
)
def drop_missing_activity(ctx: PatchContext) -> None:
    """Leave ``None`` out of the activities that ``torch.profiler.profile`` is given.

    Args:
        ctx: State of the run.
    """
    import torch.profiler

    original: Any = torch.profiler.profile
    if getattr(original, "_primus_cpu", False):
        return

    class Profile(original):  # type: ignore[misc]
        _primus_cpu = True

        def __init__(self, *, activities: Any = None, **kwargs: Any) -> None:
            if activities is not None:
                activities = [activity for activity in activities if activity is not None]
            super().__init__(activities=activities, **kwargs)

    torch.profiler.profile = Profile
