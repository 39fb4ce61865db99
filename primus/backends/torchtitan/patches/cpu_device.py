"""TorchTitan knows accelerators only: on a host without one it takes ``torch.cuda``.

Upstream: torchtitan 0.2.0-0.2.2, ``tools/utils.py``, ``get_device_info``: device type and module are asked of
torch once, when the module is imported, and ``or "cuda"`` stands for "none". ``torch.cpu`` lacks half of what
``components/metrics.py`` and ``distributed/utils.py`` then call. The process group follows by itself: gloo is
torch's default for the device type "cpu".
"""

from __future__ import annotations

import importlib
import os
import resource
from pathlib import Path
from types import ModuleType
from typing import Any

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch
from primus.core.runtime.device import VISIBLE_DEVICES


@register_patch(
    "torchtitan.cpu.device",
    backend="torchtitan",
    phase="prepare",
    backend_version=">=0.2,<0.3",
    condition=on_cpu,
    priority=90,
    description="take the CPU for the device, with gloo",
)
def choose_cpu(ctx: PatchContext) -> None:
    """Import ``torchtitan.tools.utils`` while torch answers "cpu", then let torch answer as before.

    Runs last of its phase, because it is the first to import torchtitan. Accelerators of the host are hidden, for
    TorchTitan asks ``torch.cuda`` past its own device in places (``has_cuda_capability``, the profiler).

    Args:
        ctx: State of the run.
    """
    for name in VISIBLE_DEVICES:
        os.environ[name] = ""
    import torch
    import torch._utils as torch_utils

    cpu = _cpu_device_module(torch.cpu)
    available, module_of = torch_utils._get_available_device_type, torch_utils._get_device_module

    def device_module(device_type: str) -> Any:
        return cpu if device_type == "cpu" else module_of(device_type)

    torch_utils._get_available_device_type = lambda: "cpu"
    torch_utils._get_device_module = device_module
    try:
        utils = importlib.import_module("torchtitan.tools.utils")
    finally:
        torch_utils._get_available_device_type = available
        torch_utils._get_device_module = module_of
    if utils.device_type != "cpu":
        raise RuntimeError(f"torchtitan was imported before this patch and has chosen {utils.device_type!r}")


def _cpu_device_module(torch_cpu: ModuleType) -> ModuleType:
    """Return ``torch.cpu`` with what TorchTitan asks of a device module besides.

    Args:
        torch_cpu: The module ``torch.cpu``.
    """
    module: Any = ModuleType("torch.cpu")
    module.__dict__.update({name: value for name, value in vars(torch_cpu).items() if not name.startswith("__")})
    module.current_device = lambda: 0
    module.device_count = lambda: int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    module.get_device_name = lambda device=None: "CPU"
    module.get_device_properties = lambda device=None: _Properties()
    module.memory_stats = lambda device=None: _memory_stats()
    module.reset_peak_memory_stats = lambda device=None: None
    module.empty_cache = lambda: None
    return module  # type: ignore[no-any-return]


class _Properties:
    """The one property that TorchTitan reads.

    Attributes:
        total_memory: Memory of the host, or of its control group where that is less, in bytes.
    """

    def __init__(self) -> None:
        self.total_memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
            try:
                self.total_memory = min(self.total_memory, int(Path(file).read_text()))
            except (OSError, ValueError):
                continue


def _memory_stats() -> dict[str, int]:
    """Return this process's greatest resident set so far, under the names of torch's allocator."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "active_bytes.all.peak": peak,
        "reserved_bytes.all.peak": peak,
        "num_alloc_retries": 0,
        "num_ooms": 0,
    }
