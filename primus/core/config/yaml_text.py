"""Text that PyYAML's parsers may see: decoded, measured, with one meaning in both of them."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from primus.core.config.paths import shown_path
from primus.core.errors import ConfigError

MAX_BYTES = 4 * 1024 * 1024

# What YAML 1.2.2 does not call printable; libyaml and PyYAML differ on U+FEFF inside a text. Written as what is
# refused, for the other way round takes ten times as long to compile.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def read_text(path: str) -> str:
    """Read a configuration file.

    Args:
        path: The file's absolute path.

    Raises:
        ConfigError: It cannot be read, is no regular file, too large, or not UTF-8.
    """
    shown = shown_path(path)
    try:
        with open(path, "rb", opener=_open_without_waiting) as stream:
            status = os.fstat(stream.fileno())
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError
            if not stat.S_ISREG(status.st_mode):
                raise ConfigError(f"{shown} is no regular file", "write it to one: it is read again", path)
            if status.st_size > MAX_BYTES:
                raise ConfigError(f"{shown} has {status.st_size} bytes, more than {MAX_BYTES}", file=path)
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{shown} does not exist", _nearest_file(path), path) from None
    except IsADirectoryError:
        raise ConfigError(f"{shown} is a directory", "name a file in it", path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{shown} cannot be read: {reason}", file=path) from None
    return decode(data, path)


def _open_without_waiting(path: str, flags: int) -> int:
    # A named pipe without a writer would hang the open itself.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _nearest_file(path: str) -> str:
    from primus.core.config.nearest import nearest_name

    folder = Path(path).parent
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.suffix in (".yaml", ".yml"))
    except OSError:
        return f"there is no folder {shown_path(folder)} either"
    best = nearest_name(Path(path).name, names)
    return f"did you mean {shown_path(folder / best)}?" if best else "check the path"


def decode(data: bytes, path: str) -> str:
    """Turn a file's bytes into text: UTF-8, with or without a byte-order mark.

    Args:
        data: The bytes.
        path: The file's absolute path, for messages.

    Raises:
        ConfigError: It is not UTF-8.
    """
    shown = shown_path(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(f"{shown}:1: the file is UTF-16", "save it as UTF-8", path, 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))
        raise ConfigError(
            f"{shown}:{line}: byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8", path, line
        ) from None


def holds_surrogate(text: str) -> bool:
    """Tell whether a text holds half a character: bytes that are not UTF-8 look so in Python, and break later.

    Args:
        text: Any text.
    """
    return not text.isascii() and _SURROGATE.search(text) is not None


_SURROGATE = re.compile("[\ud800-\udfff]")


def check_characters(text: str, file: str) -> None:
    """Refuse characters that YAML does not allow.

    Args:
        text: The whole text.
        file: Where it comes from, for messages.

    Raises:
        ConfigError: There is one.
    """
    found = _UNPRINTABLE.search(text)
    if found is None:
        return
    line = text.count("\n", 0, found.start()) + 1
    raise ConfigError(
        f"{shown_path(file)}:{line}: character U+{ord(found.group()):04X} is not allowed in YAML",
        "remove it, or write it as an escape in double quotes",
        file,
        line,
    )
