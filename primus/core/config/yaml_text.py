"""Text that PyYAML's parsers may see: decoded, measured, with one meaning in both of them."""

from __future__ import annotations

import os
import re
import stat

from primus.core.config.origin import shown_path
from primus.core.errors import ConfigError

MAX_BYTES = 4 * 1024 * 1024

# The characters that YAML 1.2.2 calls printable; libyaml and PyYAML differ on U+FEFF inside a text.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


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
                raise ConfigError(f"{shown} is no regular file", "it is read more than once: write it to a file", path)
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

    folder = os.path.dirname(path)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".yaml", ".yml")))
    except OSError:
        return f"there is no folder {shown_path(folder)} either"
    best = nearest_name(os.path.basename(path), names)
    return f"did you mean {shown_path(os.path.join(folder, best))}?" if best else "check the path"


def decode(data: bytes, path: str) -> str:
    """Turn a file's bytes into text: UTF-8, with or without a byte-order mark, any line ends.

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
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{shown}:{line}: byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8", path, line
        ) from None
    return text.replace("\r\n", "\n")


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
