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


def nearest_key(key: str, known: Iterable[str]) -> str | None:
    """Return the known dotted key most like a given one, or None where none is.

    A key whose last name is the same comes first, then one that is alike as a whole, then one whose last name is.

    Args:
        key: What was written.
        known: Dotted keys that would be right.
    """
    keys = list(known)
    above, dot, last = key.rpartition(".")
    by_last: dict[str, str] = {}
    for candidate in keys:
        by_last.setdefault(candidate.rpartition(".")[2], candidate)
    if last in by_last:
        return by_last[last]
    # Within one section the shared first part would make any two keys alike.
    elsewhere = [candidate for candidate in keys if not dot or above not in (candidate, candidate.rpartition(".")[0])]
    best = nearest_name(key, elsewhere, 0.75)
    if best is not None:
        return best
    best = nearest_name(last, by_last, 0.75)
    return by_last[best] if best is not None else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")
