"""What configuration needs to know of a framework, asked of its backend as late as possible and torch-free."""

from __future__ import annotations

import importlib
import importlib.util

from primus.core.config.nodes import ScalarNode
from primus.core.config.problems import Problem
from primus.core.config.schema import Schema, release_of
from primus.core.errors import BackendNotFoundError, PrimusError


def require_framework(entry: ScalarNode) -> None:
    """Refuse a framework that no backend has.

    Args:
        entry: The value of ``framework:``.

    Raises:
        BackendNotFoundError: There is none; the message holds the place and the nearest name.
    """
    from primus.core.backend.backend_registry import BackendRegistry

    known = BackendRegistry.list_backends()
    if entry.text in known:
        return
    from primus.core.config.nearest import nearest_name

    best = nearest_name(entry.text, known)
    near = f" (did you mean {best}?)" if best else ""
    raise BackendNotFoundError(
        f"{entry.origin.place}: unknown framework {entry.text!r}{near}",
        f"known frameworks: {', '.join(known) or 'none'}",
    )


def detect_version(framework: str) -> str | None:
    """Return the version of a framework as its backend tells it, or None where it is not installed.

    Args:
        framework: The framework's name.
    """
    from primus.core.backend.backend_registry import BackendRegistry

    try:
        return BackendRegistry.get_adapter(framework).detect_backend_version() or None
    except PrimusError:
        return None
    except Exception as error:
        # Whatever a framework's metadata does, a check of keys can go on with the newest schema.
        if isinstance(error, (ImportError, OSError, ValueError)):
            return None
        raise


def explain_renamed(problem: Problem, schema: Schema | None) -> Problem:
    """Return the problem with the key's new name, where the framework renamed it.

    Args:
        problem: Any problem.
        schema: What the key was checked against.
    """
    if problem.kind != "unknown" or schema is None:
        return problem
    module = f"primus.backends.{schema.framework}.renamed_keys"
    try:
        if importlib.util.find_spec(module) is None:
            return problem
    except ModuleNotFoundError:
        return problem
    release = release_of(schema.version)
    for old, new, version in importlib.import_module(module).RENAMED_KEYS:
        renamed = release >= release_of(version)
        was, now = (old, new) if renamed else (new, old)
        rest = _rest_under(problem.key, was)
        if rest is None:
            continue
        words = f"renamed to {now}{rest} in {schema.framework} {version}" if renamed else (
            f"named {now}{rest} before {schema.framework} {version}; this is {schema.version}"
        )
        return Problem(problem.kind, problem.key, problem.origin, f"unknown key, {words}")
    return problem


def _rest_under(key: str, name: str) -> str | None:
    """Return what follows ``name`` in ``key``, where ``name`` is the key or a section above it."""
    if key == name:
        return ""
    return key[len(name) :] if key.startswith(f"{name}.") else None
