"""Changes to a framework at run time: registered, filtered, applied in order, accounted for."""

from primus.core.patches.context import PatchContext
from primus.core.patches.patch_registry import PHASES, Patch, register_patch, registered_patches
from primus.core.patches.runner import load_patches, run_patches

__all__ = [
    "PHASES",
    "Patch",
    "PatchContext",
    "load_patches",
    "register_patch",
    "registered_patches",
    "run_patches",
]
