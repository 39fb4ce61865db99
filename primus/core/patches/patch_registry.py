"""The list of patches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from primus.core.errors import PatchError
from primus.core.patches.context import PatchContext

PHASES = ("prepare", "build_args", "setup", "before_train", "after_train")
"""``prepare`` runs before the framework is first imported; the others as the lifecycle names them."""

PatchFunction = Callable[[PatchContext], None]


@dataclass(frozen=True)
class Patch:
    """One change to a framework.

    Attributes:
        id: Unique name, ``<backend>.<area>.<what>`` by custom.
        backend: Name of the backend it belongs to.
        phase: One of ``PHASES``.
        function: Applies it.
        backend_version: Version range it is for, as pip writes it; empty for all.
        condition: Tells whether it is wanted; None for always.
        priority: Lower runs earlier; equals run in byte order of their ids.
        description: Why it exists, in one line.
    """

    id: str
    backend: str
    phase: str
    function: PatchFunction
    backend_version: str
    condition: Callable[[PatchContext], bool] | None
    priority: int
    description: str


_patches: dict[str, Patch] = {}


def register_patch(
    id: str,
    *,
    backend: str,
    phase: str,
    backend_version: str = "",
    condition: Callable[[PatchContext], bool] | None = None,
    priority: int = 50,
    description: str = "",
) -> Callable[[PatchFunction], PatchFunction]:
    """Register the decorated function as a patch; arguments as ``Patch``.

    Raises:
        PatchError: The id is taken by another function, the phase does not exist, or the range is malformed.
    """
    if phase not in PHASES:
        raise PatchError(f"patch {id!r}: no phase {phase!r}", f"phases are {', '.join(PHASES)}")
    try:
        SpecifierSet(backend_version)
    except InvalidSpecifier as error:
        raise PatchError(
            f"patch {id!r}: backend_version {backend_version!r} is no version range", 'write it like ">=0.2,<0.3"'
        ) from error

    def register(function: PatchFunction) -> PatchFunction:
        doc = (function.__doc__ or "").strip().split("\n")[0]
        patch = Patch(id, backend, phase, function, backend_version, condition, priority, description or doc)
        known = _patches.get(id)
        if known is not None and known.function.__qualname__ + known.function.__module__ != (
            function.__qualname__ + function.__module__
        ):
            raise PatchError(
                f"patch id {id!r} is taken by {known.function.__module__}.{known.function.__qualname__}",
                "give each patch an id of its own",
            )
        _patches[id] = patch
        return function

    return register


def registered_patches(backend: str | None = None, phase: str | None = None) -> list[Patch]:
    """Return patches in the order in which they run.

    Args:
        backend: Only of this backend.
        phase: Only of this phase.
    """
    chosen = [
        patch
        for patch in _patches.values()
        if (backend is None or patch.backend == backend) and (phase is None or patch.phase == phase)
    ]
    return sorted(chosen, key=lambda patch: (PHASES.index(patch.phase), patch.priority, patch.id.encode()))
