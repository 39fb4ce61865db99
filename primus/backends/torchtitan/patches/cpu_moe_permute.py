"""Expert parallelism sorts tokens with a triton kernel.

Upstream: torchtitan 0.2.0-0.2.2, ``models/moe/kernels.py``, ``generate_permute_indices`` launches
``_fill_indices_kernel`` unless it is called with ``use_cpu=True``, upstream's own reference implementation;
``models/moe/utils.py``, ``_permute`` never does.
"""

from __future__ import annotations

import functools

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch


@register_patch(
    "torchtitan.cpu.moe_permute",
    backend="torchtitan",
    phase="setup",
    backend_version=">=0.2,<0.3",
    condition=on_cpu,
    description="sort tokens for experts with upstream's CPU code",
)
def use_reference_implementation(ctx: PatchContext) -> None:
    """Call ``generate_permute_indices`` with ``use_cpu=True``.

    Args:
        ctx: State of the run.
    """
    import torchtitan.models.moe.utils as moe_utils

    moe_utils.generate_permute_indices = functools.partial(moe_utils.generate_permute_indices, use_cpu=True)
