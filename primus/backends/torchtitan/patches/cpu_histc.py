"""``torch.histc`` has no integer kernel on the CPU, and MoE routers count tokens with it.

Upstream: torchtitan 0.2.0-0.2.2, ``models/moe/moe.py``, ``TokenChoiceTopKRouter.forward`` and
``TokenReorderer.forward``; torch 2.13: ``"histogram_cpu" not implemented for 'Long'``.
"""

from __future__ import annotations

from typing import Any

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch


@register_patch(
    "torchtitan.cpu.histc",
    backend="torchtitan",
    phase="prepare",
    backend_version=">=0.2,<0.3",
    condition=on_cpu,
    description="count tokens per expert in floating point",
)
def count_in_floating_point(ctx: PatchContext) -> None:
    """Let ``torch.histc`` take integer tensors on the CPU; all other calls are as before.

    Args:
        ctx: State of the run.
    """
    import torch

    original = torch.histc
    if getattr(original, "_primus_cpu", False):
        return

    def histc(input: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        if input.device.type != "cpu" or input.is_floating_point():
            return original(input, *args, **kwargs)
        # float64 holds every count and every expert's number exactly.
        return original(input.double(), *args, **kwargs).to(input.dtype)

    histc._primus_cpu = True  # type: ignore[attr-defined]
    torch.histc = histc
