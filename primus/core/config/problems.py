"""What is wrong with an experiment, collected so that one run shows all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primus.core.config.origin import Origin
from primus.core.errors import ConfigError

MAX_SHOWN = 50


@dataclass(frozen=True)
class Problem:
    """One mistake.

    Attributes:
        kind: ``unknown``, ``type``, ``choice``, ``range``, ``structure`` or ``substitution``.
        key: The dotted key.
        origin: Where it was written.
        what: What is wrong and what was found.
        nearest: What was probably meant, or None.
        hint: What to do, where the kind alone does not say it.
    """

    kind: str
    key: str
    origin: Origin
    what: str
    nearest: str | None = None
    hint: str = ""

    @classmethod
    def from_error(cls, error: ConfigError, key: str) -> Problem:
        """Return an error as a problem.

        Args:
            error: Its message starts with the place and the key.
            key: The dotted key.
        """
        origin = Origin(error.file or "", error.line or 0, 0, "")
        what = error.message.removeprefix(f"{origin.place}: ").removeprefix(f"{key}: ")
        return cls("substitution", key, origin, what, hint=error.hint)

    def line(self) -> str:
        """Return place, key, what and the nearest name in one line."""
        near = f" (did you mean {self.nearest}?)" if self.nearest else ""
        written = self.origin.file.rpartition(" ")[2].removeprefix("--")
        # An override's place holds the key already.
        named = "" if not self.origin.line and f"{written}.".startswith(f"{self.key}.") else f"{self.key}: "
        return f"{self.origin.place}: {named}{self.what}{near}"


_HINTS = {
    "unknown": "mend the key, or pass --allow-unknown to be warned only",
    "type": "mend the value",
    "choice": "take one of the choices",
    "range": "mend the value",
    "structure": "mend the file",
}


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise one error that shows all problems; do nothing without any.

    Args:
        problems: In the order to show.

    Raises:
        ConfigError: There are problems.
    """
    if not problems:
        return
    first = problems[0]
    lines = [problem.line() for problem in problems[:MAX_SHOWN]]
    hint = first.hint or _HINTS.get(first.kind, "")
    if len(problems) > 1:
        more = len(problems) - MAX_SHOWN
        if more > 0:
            lines.append(f"... and {more} more")
        kinds = {problem.kind for problem in problems}
        hint = f"{len(problems)} problems" + (f"; {_HINTS['unknown']}" if kinds == {"unknown"} else "")
    raise ConfigError("\n".join(lines), hint, first.origin.file, first.origin.line or None, first.key)
