"""Documents out of the sources of Python's own library: real text that is on every host."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from primus.data.input_files import InputFile

PIECE_CHARACTERS = 4096
"""Files are cut into pieces of this size, at line ends, so that the pieces of all files can be mixed."""


def library_documents(files: Sequence[InputFile]) -> Iterator[str]:
    """Yield pieces of the files in an order that is random and yet the same everywhere.

    Whole files one after the other would make each batch a batch of one author's habits.

    Args:
        files: Python sources; those that are no UTF-8 are passed over, for the library declares its encodings.
    """
    pieces: list[tuple[bytes, str]] = []
    for file in files:
        try:
            text = file.path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, piece in enumerate(_pieces(text)):
            pieces.append((hashlib.sha256(f"{file.name}:{number}".encode()).digest(), piece))
    for _, piece in sorted(pieces):
        yield piece


def _pieces(text: str) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size >= PIECE_CHARACTERS:
            yield "".join(lines)
            lines, size = [], 0
    if lines and not "".join(lines).isspace():
        yield "".join(lines)
