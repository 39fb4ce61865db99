"""Which files a corpus is made of, with what tells whether they changed."""

from __future__ import annotations

import glob
import os
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from primus.core.errors import ConfigError, LaunchEnvironmentError
from primus.data.corpus_error import CorpusError
from primus.data.corpus_settings import CorpusSettings

_NOT_LIBRARY = {"site-packages", "dist-packages", "test", "tests", "__pycache__", "idlelib"}


@dataclass(frozen=True)
class InputFile:
    """One file.

    Attributes:
        path: Where it is.
        name: What the fingerprint calls it; the same on every node that shares the data folder.
        size: In bytes.
        mtime_ns: Time of its last change; 0 where that says nothing about the content.
    """

    path: Path
    name: str
    size: int
    mtime_ns: int


def list_inputs(settings: CorpusSettings, data_path: Path) -> list[InputFile]:
    """Return the files that the settings name, in the order in which they become the corpus.

    Args:
        settings: The corpus's settings.
        data_path: Folder that relative names start from.

    Raises:
        ConfigError: A glob matches nothing, or names a folder.
        LaunchEnvironmentError: This Python came without the sources of its library.
    """
    return _library_sources() if settings.source == "stdlib" else _named_files(settings.files, data_path)


def _library_sources() -> list[InputFile]:
    root = Path(sysconfig.get_path("stdlib"))
    found: list[InputFile] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _NOT_LIBRARY and not name.startswith("config-"))
        for file in files:
            if file.endswith(".py"):
                path = Path(folder, file)
                # Times of unpacking differ from node to node, contents of one Python release do not.
                found.append(InputFile(path, path.relative_to(root).as_posix(), path.stat().st_size, 0))
    if sum(file.size for file in found) < 1_000_000:
        raise LaunchEnvironmentError(
            f"corpus: {root} holds hardly any of Python's library sources",
            "install the full Python, or name files of your own with corpus.files",
        )
    return sorted(found, key=lambda file: file.name)


def _named_files(patterns: tuple[str, ...], data_path: Path) -> list[InputFile]:
    found: dict[Path, InputFile] = {}
    for pattern in patterns:
        whole = os.path.join(glob.escape(str(data_path)), os.path.expanduser(pattern))
        literal = Path(data_path, os.path.expanduser(pattern))
        # A file may have brackets in its name; it is meant when it is there.
        matches = [str(literal)] if literal.exists() else sorted(glob.glob(whole, recursive=True))
        named = not glob.has_magic(pattern) or matches == [str(literal)]
        if literal.is_dir() and named:
            raise CorpusError(literal, None, "is a folder", f"name files in it, such as {pattern.rstrip('/')}/*.txt")
        files = [Path(match) for match in matches if named or not Path(match).is_dir()]
        if not files:
            raise ConfigError(
                f"corpus.files: {pattern!r} matches no file in {data_path}",
                "mend the name, or give the folder with --data_path",
                key="corpus.files",
            )
        for path in files:
            found.setdefault(path, _input(path, data_path))
    return list(found.values())


def _input(path: Path, data_path: Path) -> InputFile:
    try:
        status = path.stat()
    except OSError as error:
        raise CorpusError(
            path, None, f"cannot be read: {error.strerror}", "mend its permissions or path, or leave it out"
        ) from error
    name = path.relative_to(data_path) if path.is_relative_to(data_path) else path
    return InputFile(path, name.as_posix(), status.st_size, status.st_mtime_ns)
