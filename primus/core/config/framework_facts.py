"""What configuration needs to know of a framework, asked of its backend as late as possible and torch-free."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primus.core.config.nodes import MappingNode, ScalarNode, leaves
from primus.core.config.paths import shown_path
from primus.core.config.problems import Problem
from primus.core.config.schema import Schema, release_of
from primus.core.errors import BackendNotFoundError, ConfigError, PrimusError

if TYPE_CHECKING:
    from primus.core.backend.backend_adapter import BackendAdapter
    from primus.core.config.experiment import Experiment


def require_framework(entry: ScalarNode) -> None:
    """Refuse a framework that no backend has.

    Args:
        entry: The value of ``framework:``.

    Raises:
        BackendNotFoundError: There is none; the message holds the place and the nearest name.
    """
    import primus.backends

    # Listing backends looks into every installed package; one of ours needs no list.
    if entry.text.isidentifier():
        files = (Path(folder, entry.text, "__init__.py") for folder in primus.backends.__path__)
        if any(file.is_file() for file in files):
            return
    from primus.core.backend.backend_registry import BackendRegistry

    if BackendRegistry.has_backend(entry.text):
        return
    known = BackendRegistry.list_backends()
    from primus.core.config.nearest import nearest_name

    best = nearest_name(entry.text, known)
    near = f" (did you mean {best}?)" if best else ""
    raise BackendNotFoundError(
        f"{entry.origin.place}: unknown framework {entry.text!r}{near}",
        f"known frameworks: {', '.join(known) or 'none'}",
    )


def detect_version(framework: str, backend_path: str | None = None) -> str | None:
    """Return the version of a framework as its backend tells it, or None where it is not installed.

    Args:
        framework: The framework's name.
        backend_path: What ``--backend_path`` said.
    """
    from primus.core.backend.backend_registry import BackendRegistry

    try:
        adapter = BackendRegistry.get_adapter(framework)
        if backend_path:
            adapter.location = adapter.locate(backend_path)
        return adapter.detect_backend_version() or None
    except PrimusError:
        return None
    except (ImportError, OSError, ValueError):
        # Whatever is wrong with an installed framework, a check of keys can go on with the newest schema.
        return None


def check_fit(experiment: Experiment, world_size: int, adapter: BackendAdapter | None = None) -> None:
    """Refuse parameters that do not fit a number of processes, as the framework's backend sees it.

    Args:
        experiment: A composed experiment.
        world_size: Number of ranks of the job.
        adapter: The backend's adapter; found by the framework's name when omitted.

    Raises:
        ConfigError: Something does not fit; the message holds every such thing.
    """
    from primus.core.backend.backend_registry import BackendRegistry

    chosen = adapter or BackendRegistry.get_adapter(experiment.framework)
    problems = chosen.check_params(experiment.params_dict(), world_size)
    if problems:
        places = [_place_of_first_key(experiment, text) for text in problems]
        lines = [f"{place}: {text}" for place, text in zip(places, problems, strict=True)]
        hint = "mend one of these values, or the number of processes"
        raise ConfigError(
            "\n".join(lines), hint if len(lines) == 1 else f"{len(lines)} problems; {hint}", experiment.path
        )


def _place_of_first_key(experiment: Experiment, text: str) -> str:
    """Return where the first key that a text names was set; the experiment's file where none of them was."""
    by_name = {key.rpartition(".")[2]: node for key, node in reversed(list(leaves(experiment.params)))}
    for word in _KEY.findall(text):
        # A name without a sign of a key, such as "name", may be a word of the sentence.
        node = experiment.params.find(word) or (by_name.get(word) if "_" in word else None)
        if node is not None and not isinstance(node, MappingNode):
            return node.origin.place
    return shown_path(experiment.path)


_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def explain_renamed(problem: Problem, schema: Schema | None, params: MappingNode) -> list[Problem]:
    """Return the problem with the key's other name, where the framework renamed it.

    Args:
        problem: Any problem.
        schema: What the key was checked against.
        params: What was checked; the keys of an unknown section may have been renamed one by one.
    """
    if problem.kind != "unknown" or schema is None:
        return [problem]
    renamed = _renamed_keys(schema.framework)
    section = params.find(problem.key)
    inner = list(leaves(section, f"{problem.key}.")) if isinstance(section, MappingNode) else []
    within = [Problem("unknown", key, node.origin, problem.what) for key, node in inner]
    explained = [_explained(one, schema, renamed) for one in within]
    if any(explained):
        return [better or one for one, better in zip(within, explained, strict=True)]
    return [_explained(problem, schema, renamed) or problem]


def _renamed_keys(framework: str) -> tuple[tuple[str, str, str], ...]:
    module = f"primus.backends.{framework}.renamed_keys"
    try:
        if importlib.util.find_spec(module) is None:
            return ()
    except ModuleNotFoundError:
        return ()
    table: tuple[tuple[str, str, str], ...] = importlib.import_module(module).RENAMED_KEYS
    return table


def _explained(problem: Problem, schema: Schema, renamed_keys: tuple[tuple[str, str, str], ...]) -> Problem | None:
    release = release_of(schema.version)
    for old, new, version in renamed_keys:
        renamed = release >= release_of(version)
        was, now = (old, new) if renamed else (new, old)
        rest = _rest_under(problem.key, was)
        if rest is None or not _has_key(schema, now):
            continue
        words = (
            f"renamed to {now}{rest} in {schema.framework} {version}"
            if renamed
            else (f"named {now}{rest} before {schema.framework} {version}; this is {schema.version}")
        )
        return Problem(problem.kind, problem.key, problem.origin, f"unknown key, {words}")
    return None


def _has_key(schema: Schema, key: str) -> bool:
    entry: Any = schema.document
    for part in key.split("."):
        entry = entry.get("properties", {}).get(part)
        if entry is None:
            return False
    return True


def _rest_under(key: str, name: str) -> str | None:
    """Return what follows ``name`` in ``key``, where ``name`` is the key or a section above it."""
    if key == name:
        return ""
    return key[len(name) :] if key.startswith(f"{name}.") else None
