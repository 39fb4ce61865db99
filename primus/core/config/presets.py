"""Module and model presets: where their names lead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from primus.core.config.extends import FileLoader
from primus.core.config.nearest import nearest_name
from primus.core.config.nodes import MappingNode, ScalarNode
from primus.core.config.paths import absolute, exists, shown_path
from primus.core.errors import ConfigError

LAYERS = {"modules": "module preset", "models": "model preset"}


def default_configs_dir() -> Path:
    """Return the folder with ``modules/``, ``models/`` and ``schemas/`` that belongs to Primus."""
    return Path(__file__).resolve().parents[2] / "configs"


def load_preset(
    entry: ScalarNode, kind: str, framework: str, configs_dir: str | os.PathLike[str], environ: Mapping[str, str]
) -> MappingNode:
    """Read a preset with all it extends.

    A name leads to ``configs/<kind>/<framework>/``; an absolute path, or one that starts with ``./`` or ``../``,
    leads from the folder of the file that names it.

    Args:
        entry: The value of ``config:`` or ``model:`` in the experiment.
        kind: ``modules`` or ``models``.
        framework: The module's framework.
        configs_dir: Folder of the presets.
        environ: Variables for substitution in ``extends:``.

    Raises:
        ConfigError: There is no such preset, or its file is malformed.
    """
    shelf = Path(configs_dir, kind)
    path = preset_path(entry, shelf / framework)
    if not exists(path):
        raise _missing(entry, path, LAYERS[kind])
    return FileLoader(LAYERS[kind], environ, [shelf]).load(path)


def preset_path(entry: ScalarNode, folder: Path) -> Path:
    """Return the file that a preset's name leads to.

    Args:
        entry: The value of ``config:`` or ``model:``.
        folder: Where plain names lead.
    """
    beside = entry.text.startswith(("./", "../"))
    return absolute(entry.text, Path(entry.origin.file).parent if beside else folder)


def list_presets(folder: Path) -> list[str]:
    """Return the names of the presets in a folder and below it, sorted.

    Args:
        folder: ``configs/<kind>/<framework>`` or another folder.
    """
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*.y*ml")]
    return sorted(found)


def _missing(entry: ScalarNode, path: Path, what: str) -> ConfigError:
    folder = path.parent
    names = list_presets(folder)
    best = nearest_name(path.name, names)
    near = f"did you mean {best}? " if best else ""
    return ConfigError(
        f"{entry.origin.place}: {what} {entry.text} not found in {shown_path(folder)}",
        f"{near}there are: {', '.join(names)}" if names else "there are none in that folder",
        entry.origin.file,
        entry.origin.line,
    )
