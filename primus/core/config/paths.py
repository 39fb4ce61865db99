"""Paths as a user types and reads them: symbolic links kept, ``..`` taken out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from primus.core.errors import ConfigError


def absolute(path: str | os.PathLike[str], folder: str | os.PathLike[str] = "") -> Path:
    """Return an absolute path without ``.`` and ``..``, home folder filled in, links not followed.

    Args:
        path: A path.
        folder: Where a relative one starts; the working directory when omitted.
    """
    # Path.expanduser() fails for a user that is not known; Path.resolve() would follow links, and show a user names
    # that they never wrote.
    return Path(os.path.abspath(Path(folder) / os.path.expanduser(path)))


def data_folder(option: str | None, environ: Mapping[str, str]) -> Path:
    """Return the absolute folder for prepared data.

    Args:
        option: What ``--data_path`` said.
        environ: Environment that may hold ``PRIMUS_DATA_PATH``.
    """
    return absolute(option or environ.get("PRIMUS_DATA_PATH") or "data")


def exists(path: str | os.PathLike[str]) -> bool:
    """Tell whether there is a file or folder; a name that none can have has none.

    Args:
        path: A path.
    """
    # Path.exists() fails for a name that is too long.
    return os.path.exists(path)


def real_path(path: str | os.PathLike[str]) -> str:
    """Return a path with all links followed.

    Args:
        path: A path.
    """
    # Path.resolve() fails for a link that leads to itself.
    return os.path.realpath(path)


def refuse_same_file(option: str, output: str, config: str) -> None:
    """Refuse an output that would overwrite the experiment it is made from.

    Args:
        option: The option that names the output.
        output: Its value.
        config: The experiment file.

    Raises:
        ConfigError: Both are one file.
    """
    if real_path(absolute(output)) == real_path(absolute(config)):
        raise ConfigError(f"command line: {option} {output} is the experiment itself", "name another file")


def shown_path(path: str | os.PathLike[str]) -> str:
    """Return a path relative to the working directory where it lies below it.

    Args:
        path: An absolute path.
    """
    try:
        below = os.path.relpath(path)
    except (OSError, ValueError):
        return os.fspath(path)
    return os.fspath(path) if below.startswith("..") else below
