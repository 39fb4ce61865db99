"""TorchTitan's MoE kernels import triton, which has no CPU build.

Upstream: torchtitan 0.2.0-0.2.2, ``models/moe/kernels.py``: ``import triton`` and ``@triton.jit`` at the top.
Every model imports that module through ``torchtitan/__init__.py`` -> ``components/quantization`` ->
``models/moe/utils.py``, llama3 included.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from primus.backends.torchtitan.patches import on_cpu
from primus.core.patches import PatchContext, register_patch

KERNELS = "torchtitan.models.moe.kernels"


@register_patch(
    "torchtitan.cpu.triton_import",
    backend="torchtitan",
    phase="prepare",
    backend_version=">=0.2,<0.3",
    condition=lambda ctx: on_cpu(ctx) and importlib.util.find_spec("triton") is None,
    priority=10,
    description="import the MoE kernels without triton",
)
def install(ctx: PatchContext) -> None:
    """Stand in for triton while the kernels' module is executed, and at no other time.

    A stub that stays in ``sys.modules`` makes torch's inductor believe that triton is there.

    Args:
        ctx: State of the run.
    """
    if not any(isinstance(finder, _KernelsFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _KernelsFinder())


class _KernelsFinder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != KERNELS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _KernelsLoader(fullname, spec.origin)
        return spec


class _KernelsLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        triton = _triton_stub()
        stubs = {"triton": triton, "triton.language": triton.language}
        before = {name: sys.modules.get(name) for name in stubs}
        sys.modules.update(stubs)
        try:
            super().exec_module(module)
        finally:
            for name, old in before.items():
                if old is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = old


def _triton_stub() -> Any:
    triton: Any = ModuleType("triton")
    triton.language = ModuleType("triton.language")
    triton.language.constexpr = int
    triton.jit = _not_compiled
    return triton


def _not_compiled(function: Any) -> Any:
    """Return the kernel as it is; ``torchtitan.cpu.moe_permute`` keeps it from being launched."""
    return function
