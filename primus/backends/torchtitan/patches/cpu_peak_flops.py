"""Model FLOPS utilisation of a CPU would be told against the peak of an A100, after a search with lspci.

Upstream: torchtitan 0.2.0-0.2.2, ``tools/utils.py``, ``get_peak_flops`` falls back to 312e12 with a warning, and
warns once more where there is no ``lspci``; ``train.py`` and ``components/metrics.py`` each call it.
"""

from __future__ import annotations

import math

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch


@register_patch(
    "torchtitan.cpu.peak_flops",
    backend="torchtitan",
    phase="setup",
    backend_version=">=0.2,<0.3",
    condition=on_cpu,
    description="no utilisation against an accelerator's peak",
)
def peak_unknown(ctx: PatchContext) -> None:
    """Answer that the peak is unknown, which makes every utilisation 0.

    Args:
        ctx: State of the run.
    """
    import torchtitan.tools.utils as utils

    utils.get_peak_flops = lambda device_name: math.inf
