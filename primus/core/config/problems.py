"""What is wrong with an experiment, collected so that one run shows all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primus.core.config.origin import Origin
from primus.core.errors import ConfigError

MAX_SHOWN = 50


class ProblemsError(ConfigError):
    """Several mistakes, or one; the message shows the first fifty.

    Args:
        problems: All of them, at least one.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0]
        lines = [problem.line() for problem in problems[:MAX_SHOWN]]
        if len(problems) > MAX_SHOWN:
            lines.append(f"... and {len(problems) - MAX_SHOWN} more")
        hint = _hint(problems)
        super().__init__("\n".join(lines), hint, first.origin.file, first.origin.line or None, first.key)
        self.problems = tuple(problems)

    def all_lines(self) -> list[str]:
        """Return every problem, and the hint."""
        return [*(problem.line() for problem in self.problems), *([self.hint] if self.hint else [])]


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
        named = (
            ""
            if not self.key or (not self.origin.line and f"{written}.".startswith(f"{self.key}."))
            else f"{self.key}: "
        )
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
        ProblemsError: There are problems.
    """
    if problems:
        raise ProblemsError(problems)


def _hint(problems: Sequence[Problem]) -> str:
    first = problems[0]
    if len(problems) == 1:
        return first.hint or _HINTS.get(first.kind, "")
    kinds = {problem.kind for problem in problems}
    return f"{len(problems)} problems" + (f"; {_HINTS['unknown']}" if kinds == {"unknown"} else "")
