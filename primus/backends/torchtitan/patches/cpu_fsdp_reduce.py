"""gloo has no ``ReduceOp.PREMUL_SUM``, which FSDP2 takes for a gradient divide factor of its user's.

Upstream: torchtitan 0.2.2, ``models/llama3/infra/parallelize.py``, ``disable_fsdp_gradient_division`` sets a factor
of 1; torch 2.13, ``torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py``, ``_get_gradient_divide_factors``
turns it into ``PREMUL_SUM(1 / factor)``. 0.2.0 and 0.2.1 leave the factor alone.
"""

from __future__ import annotations

from typing import Any

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch


@register_patch(
    "torchtitan.cpu.fsdp_reduce",
    backend="torchtitan",
    phase="prepare",
    backend_version=">=0.2.2,<0.3",
    condition=on_cpu,
    description="reduce gradients with plain sums, which gloo has",
)
def force_sum(ctx: PatchContext) -> None:
    """Make FSDP2 sum gradients and divide them itself on the CPU, as it does for devices without such reductions.

    Args:
        ctx: State of the run.
    """
    import torch.distributed.fsdp._fully_shard._fsdp_collectives as collectives

    original = collectives._get_gradient_divide_factors
    if getattr(original, "_primus_cpu", False):
        return

    def gradient_divide_factors(
        reduce_scatter_group: Any,
        all_reduce_group: Any,
        reduce_dtype: Any,
        device_type: str = "",
        factor: float | None = None,
        force_sum_reduction_for_comms: bool = False,
    ) -> Any:
        return original(
            reduce_scatter_group,
            all_reduce_group,
            reduce_dtype,
            device_type,
            factor,
            force_sum_reduction_for_comms or device_type == "cpu",
        )

    gradient_divide_factors._primus_cpu = True  # type: ignore[attr-defined]
    collectives._get_gradient_divide_factors = gradient_divide_factors
