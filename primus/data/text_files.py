"""Documents out of text and JSON-lines files, plain or compressed with gzip."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from primus.data.corpus_error import CorpusError

PIECE_BYTES = 16_384
"""Longer text files become several documents, cut at line ends: loaders deal documents out to ranks."""

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson", ".json")


def read_documents(path: Path, file_format: str, text_key: str) -> Iterator[str]:
    """Yield the documents of one file.

    Args:
        path: The file; one that ends in ``.gz`` is decompressed.
        file_format: ``text``, ``jsonl`` or ``auto``.
        text_key: Key of the text in a JSON line.

    Raises:
        CorpusError: The file is empty, unreadable, no UTF-8, or holds a line that is no JSON object with the key.
    """
    lines = _decoded_lines(path)
    if file_format == "auto":
        file_format = "jsonl" if _plain_suffix(path) in JSON_LINES_SUFFIXES else "text"
    documents = _json_texts(path, lines, text_key) if file_format == "jsonl" else _pieces(lines)
    empty = True
    for document in documents:
        if document.strip():
            empty = False
            yield document
    if empty:
        raise CorpusError(path, None, "holds no text", "fill it, or leave it out of corpus.files")


def _plain_suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _decoded_lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with _open(path) as stream:
            for number, raw in enumerate(stream, start=1):
                line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                try:
                    yield number, line.decode("utf-8")
                except UnicodeDecodeError as error:
                    byte = line[error.start]
                    raise CorpusError(
                        path,
                        number,
                        f"not UTF-8: byte 0x{byte:02x} at position {error.start + 1} of the line",
                        "convert the file (iconv -f LATIN1 -t UTF-8), or leave it out of corpus.files",
                    ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorpusError(
            path, number + 1, f"damaged gzip file: {error}", "compress the file again, or leave it out"
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(
            path, None, f"cannot be read: {reason}", "mend its permissions or path, or leave it out"
        ) from error


def _open(path: Path) -> IO[bytes]:
    if path.name.lower().endswith(".gz"):
        compressed: Any = gzip.open(path, "rb")  # noqa: SIM115 - the caller closes it
        return compressed  # type: ignore[no-any-return]
    return path.open("rb")


def _pieces(lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    piece: list[str] = []
    size = 0
    for _, line in lines:
        piece.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield "".join(piece)
            piece, size = [], 0
    if piece:
        yield "".join(piece)


def _json_texts(path: Path, lines: Iterator[tuple[int, str]], text_key: str) -> Iterator[str]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line.strip())
        except (ValueError, RecursionError) as error:
            what = getattr(error, "msg", "") or str(error)
            raise CorpusError(
                path, number, f"not JSON: {what}", 'each line must be one JSON object, such as {"text": "..."}'
            ) from None
        if not isinstance(value, dict):
            raise CorpusError(
                path, number, f"wants a JSON object, got {_kind(value)}", "each line must be one JSON object"
            )
        if text_key not in value:
            keys = ", ".join(map(str, list(value)[:10])) or "none"
            raise CorpusError(
                path, number, f"no key {text_key!r}; its keys: {keys}", "name the key with corpus.text_key"
            )
        text = value[text_key]
        if not isinstance(text, str):
            raise CorpusError(
                path, number, f"{text_key!r} wants text, got {_kind(text)}", "name another key with corpus.text_key"
            )
        # A lone surrogate is legal JSON, but no text that any tokenizer takes.
        yield text.encode("utf-8", "replace").decode("utf-8")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "a number")
