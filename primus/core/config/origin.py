"""Where a value was written."""

from __future__ import annotations

from dataclasses import dataclass

from primus.core.config.paths import shown_path


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of a value.

    Attributes:
        file: Absolute path of a file, or words such as ``command line: --training.steps``.
        line: Line in the file, counted from 1; 0 where there is no file.
        column: Column in the line, counted from 1; 0 where there is no file.
        layer: ``model preset``, ``module preset``, ``experiment``, ``hook`` or ``command line``.
    """

    file: str
    line: int
    column: int
    layer: str

    @property
    def place(self) -> str:
        """Return ``file:line`` with the file as a reader in this folder would type it."""
        return f"{shown_path(self.file)}:{self.line}" if self.line else self.file
