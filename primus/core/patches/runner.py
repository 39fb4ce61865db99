"""Chooses and applies the patches of a phase."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import pkgutil
from collections.abc import Mapping

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from primus.core.errors import ConfigError, PatchError
from primus.core.patches.context import PatchContext
from primus.core.patches.patch_registry import Patch, registered_patches
from primus.core.utils.module_utils import debug_rank_0, log_rank_0


def load_patches(package: str) -> None:
    """Import a backend's ``patches`` package and every module in it, which registers them.

    Args:
        package: The backend's package; one without ``patches`` has none.
    """
    name = f"{package}.patches"
    if not package or importlib.util.find_spec(name) is None:
        return
    module = importlib.import_module(name)
    for info in pkgutil.iter_modules(getattr(module, "__path__", [])):
        importlib.import_module(f"{name}.{info.name}")


def _chosen_ids(environ: Mapping[str, str], known: list[str]) -> set[str] | None:
    """Return the ids that PRIMUS_PATCHES allows; None for all."""
    text = environ.get("PRIMUS_PATCHES", "").strip()
    if text in ("", "all"):
        return None
    if text == "none":
        return set()
    ids = {part.strip() for part in text.split(",") if part.strip()}
    for id in sorted(ids - set(known)):
        nearest = difflib.get_close_matches(id, known, n=1)
        raise ConfigError(
            f"PRIMUS_PATCHES names an unknown patch {id!r}" + (f": did you mean {nearest[0]!r}?" if nearest else ""),
            "primus-cli patches list shows them all",
        )
    return ids


def version_matches(version: str, version_range: str) -> bool:
    """Tell whether a version lies in a range; a pre-release or local version counts as its release.

    Args:
        version: As the framework names it.
        version_range: As pip writes it.

    Raises:
        PatchError: The version cannot be read.
    """
    try:
        release = Version(version).base_version
    except InvalidVersion as error:
        raise PatchError(
            f"cannot compare the framework's version {version!r} with {version_range!r}",
            "detect_backend_version() must answer a version like 0.2.2",
        ) from error
    return SpecifierSet(version_range).contains(release, prereleases=True)


def _why_not(patch: Patch, ctx: PatchContext, chosen: set[str] | None) -> str:
    """Return why a patch is not applied; empty when it is."""
    if chosen is not None and patch.id not in chosen:
        return "PRIMUS_PATCHES"
    # The condition first: it is cheap, and the version is only detected when it matters.
    if patch.condition is not None and not patch.condition(ctx):
        return "condition"
    if patch.backend_version and not version_matches(ctx.backend_version, patch.backend_version):
        return f"version {ctx.backend_version} not {patch.backend_version}"
    return ""


def run_patches(ctx: PatchContext, environ: Mapping[str, str] | None = None) -> list[str]:
    """Apply the patches of ``ctx.backend`` for ``ctx.phase`` and return their ids, in order.

    Args:
        ctx: State of the run; handed to each patch.
        environ: Environment that may hold ``PRIMUS_PATCHES=all|none|id,id``; the process's own when omitted.

    Raises:
        ConfigError: PRIMUS_PATCHES names a patch that does not exist.
        PatchError: A patch failed; its own exception is the cause.
    """
    known = [patch.id for patch in registered_patches(ctx.backend)]
    chosen = _chosen_ids(os.environ if environ is None else environ, known)
    applied: list[str] = []
    skipped: list[str] = []
    for patch in registered_patches(ctx.backend, ctx.phase):
        reason = _why_not(patch, ctx, chosen)
        if reason:
            skipped.append(f"{patch.id} ({reason})")
            continue
        try:
            patch.function(ctx)
        except Exception as error:
            raise PatchError(
                f"patch {patch.id!r} failed in phase {ctx.phase!r}: {type(error).__name__}: {error}",
                f"PRIMUS_PATCHES lists the patches to apply; without {patch.id!r} the run may be wrong",
            ) from error
        applied.append(patch.id)
    if applied:
        log_rank_0("patches applied before %s: %s", _moment(ctx.phase), ", ".join(applied))
    if skipped:
        debug_rank_0("patches skipped before %s: %s", _moment(ctx.phase), ", ".join(skipped))
    return applied


def _moment(phase: str) -> str:
    return {
        "prepare": "the framework's import",
        "build_args": "the trainer's construction",
        "setup": "setup",
        "before_train": "training",
        "after_train": "cleanup",
    }[phase]
