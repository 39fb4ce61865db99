"""What ``corpus:`` in an experiment may say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from primus.core.config.nearest import nearest_name
from primus.core.errors import ConfigError

SOURCES = ("stdlib", "files")
FORMATS = ("auto", "text", "jsonl")
KEYS = (
    "source",
    "files",
    "format",
    "text_key",
    "vocab_size",
    "max_bytes",
    "validation_fraction",
    "output",
    "lock_timeout_seconds",
)

STDLIB_MAX_BYTES = 8_000_000
"""Enough for about three million tokens, and built in seconds."""

SMALLEST_VOCAB = 258
"""Each byte value, and the tokens for the beginning and the end of a text."""


@dataclass(frozen=True)
class CorpusSettings:
    """How to build a corpus.

    Attributes:
        source: ``stdlib`` for the sources of Python's own library, ``files`` for the user's files.
        files: Globs, relative to the data folder; for ``files`` only.
        format: ``text``, ``jsonl``, or ``auto`` to go by the file's name.
        text_key: Key of the text in a JSON line.
        vocab_size: Most tokens the tokenizer may have.
        max_bytes: UTF-8 bytes of text to take at most; None for all.
        validation_fraction: Share of the documents to hold out, from 0 to 0.5.
        output: Folder for the result, relative to the data folder.
        lock_timeout_seconds: How long to wait for another process that builds the same corpus.
    """

    source: str = "stdlib"
    files: tuple[str, ...] = ()
    format: str = "auto"
    text_key: str = "text"
    vocab_size: int = 2048
    max_bytes: int | None = STDLIB_MAX_BYTES
    validation_fraction: float = 0.0
    output: str = "corpus"
    lock_timeout_seconds: float = 1800.0

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> CorpusSettings:
        """Read the settings and check them.

        Args:
            values: What stands under ``corpus:``.

        Raises:
            ConfigError: A key is unknown, or a value is of the wrong type, out of range or does not fit another.
        """
        for key in values:
            if key not in KEYS:
                best = nearest_name(str(key), KEYS)
                near = f" (did you mean {best}?)" if best else ""
                raise _error(str(key), f"unknown key{near}", f"the keys of corpus: are {', '.join(KEYS)}")
        # null means "as if not written", so that an override can take a setting back.
        given = {key: value for key, value in values.items() if value is not None or key == "max_bytes"}
        files = _files(given)
        source = _choice(given, "source", "files" if files else "stdlib", SOURCES)
        if source == "files" and not files:
            raise _error("files", "names no file", "write corpus.files: [texts/*.txt], relative to --data_path")
        if source == "stdlib" and files:
            raise _error("source", "is stdlib, but files are named too", "drop corpus.source or corpus.files")
        max_bytes: Any = given.get("max_bytes", STDLIB_MAX_BYTES if source == "stdlib" else None)
        if max_bytes is not None:
            max_bytes = int(_number({"max_bytes": max_bytes}, "max_bytes", 0, 1000, None, whole=True))
        return cls(
            source=source,
            files=files,
            format=_choice(given, "format", "auto", FORMATS),
            text_key=_text(given, "text_key", "text"),
            vocab_size=int(_number(given, "vocab_size", 2048, SMALLEST_VOCAB, 1_000_000, whole=True)),
            max_bytes=max_bytes,
            validation_fraction=_number(given, "validation_fraction", 0.0, 0.0, 0.5),
            output=_text(given, "output", "corpus"),
            lock_timeout_seconds=_number(given, "lock_timeout_seconds", 1800.0, 1.0, None),
        )


def _error(key: str, what: str, hint: str = "") -> ConfigError:
    return ConfigError(f"corpus.{key}: {what}", hint, key=f"corpus.{key}")


def _files(values: Mapping[str, Any]) -> tuple[str, ...]:
    given = values.get("files", [])
    items = [given] if isinstance(given, str) else given
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) and item for item in items):
        raise _error("files", f"wants a list of file names or globs, got {given!r}")
    return tuple(items)


def _choice(values: Mapping[str, Any], key: str, default: str, choices: tuple[str, ...]) -> str:
    value = values.get(key, default)
    if value not in choices:
        best = nearest_name(str(value), choices)
        near = f" (did you mean {best}?)" if best else ""
        raise _error(key, f"wants one of {', '.join(choices)}, got {value!r}{near}")
    return str(value)


def _text(values: Mapping[str, Any], key: str, default: str) -> str:
    value = values.get(key, default)
    if not isinstance(value, str) or not value:
        raise _error(key, f"wants text, got {value!r}")
    return value


def _number(
    values: Mapping[str, Any], key: str, default: float, least: float, most: float | None, whole: bool = False
) -> float:
    value = values.get(key, default)
    wanted = "a whole number" if whole else "a number"
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (whole and value != int(value)):
        raise _error(key, f"wants {wanted}, got {value!r}")
    if not value >= least or (most is not None and value > most):
        upper = f" and at most {most:,}" if most is not None else ""
        raise _error(key, f"wants {wanted} of at least {least:,}{upper}, got {value:,}")
    return float(value)
