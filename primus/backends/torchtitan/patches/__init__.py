"""Changes to TorchTitan at run time: one file each, with its reason, its upstream reference and its version range.

Those that begin with ``cpu_`` let TorchTitan's own loop run on a host without an accelerator. Each has a test in
``tests/unit_tests/backends/torchtitan/test_cpu_patches_are_needed.py`` that fails once it is not needed any more.
"""

from primus.core.patches import PatchContext


def on_cpu(ctx: PatchContext) -> bool:
    """Tell whether the run is to train on the CPU.

    Args:
        ctx: State of the run.
    """
    return ctx.device == "cpu"
