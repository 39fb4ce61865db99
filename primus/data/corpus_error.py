"""Errors about a file of a corpus, all in one form: which file, which line, what, and how to mend it."""

from __future__ import annotations

import os

from primus.core.config.paths import shown_path
from primus.core.errors import ConfigError


class CorpusError(ConfigError):
    """A file of the corpus cannot be used.

    Args:
        path: The file.
        line: Its line, counted from 1; None where the file as a whole is meant.
        what: What is wrong with it.
        hint: What to do.
    """

    def __init__(self, path: str | os.PathLike[str], line: int | None, what: str, hint: str) -> None:
        file = os.fspath(path)
        place = shown_path(file) + (f":{line}" if line else "")
        super().__init__(f"corpus: {place}: {what}", hint, file, line, "corpus.files")
