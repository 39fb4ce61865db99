"""TorchTitan's own entry point, on a machine that may have no accelerator.

Without one TorchTitan does not start at all, so the CPU patches are applied first; after that everything is
TorchTitan's: its parser, its ``main``, its trainer. Run it under torchrun with TorchTitan's own arguments.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from primus.core.backend.backend_registry import BackendRegistry
from primus.core.patches import PatchContext, load_patches, run_patches
from primus.core.runtime.device import choose_device

adapter = BackendRegistry.get_adapter("torchtitan")
load_patches("primus.backends.torchtitan")
run_patches(PatchContext("torchtitan", "prepare", choose_device("auto"), detect_version=adapter.detect_backend_version))

from torchtitan.train import Trainer, main  # noqa: E402

main(Trainer)
