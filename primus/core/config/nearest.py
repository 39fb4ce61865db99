"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most like a given one, or None where none is.

    Args:
        name: What was written.
        known: Names that would be right.
        cutoff: Least likeness, from 0 to 1.
    """
    import difflib

    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(_folded(candidate), candidate)
    found = difflib.get_close_matches(_folded(name)[:100], by_folded, n=1, cutoff=cutoff)
    return by_folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")
