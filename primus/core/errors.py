"""The errors of Primus: what went wrong, what to do about it, and the exit status that says so.

Only ``primus/run.py``, ``primus/plan.py``, ``primus/torchrun.py`` and the tools print them; everything
else raises. Exit statuses: 1 a fault of ours, 2 usage or configuration, 3 the environment lacks something.
"""

from __future__ import annotations

EXIT_FAULT = 1
EXIT_USAGE = 2
EXIT_ENVIRONMENT = 3


class PrimusError(Exception):
    """A mistake or a lack that Primus recognised.

    Args:
        message: What is wrong, what was found, and where it was set.
        hint: What to do about it; empty where there is nothing useful to say.
        exit_status: The status the process ends with.
    """

    default_exit_status = EXIT_FAULT

    def __init__(self, message: str, hint: str = "", exit_status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_status = self.default_exit_status if exit_status is None else exit_status

    def lines(self) -> list[str]:
        """Return the message and, where there is one, the hint."""
        return [self.message, self.hint] if self.hint else [self.message]


class ConfigError(PrimusError):
    """The experiment or the command line says something that cannot be meant.

    Args:
        message: As for PrimusError, place included.
        hint: As for PrimusError.
        file: The file that holds the mistake, where it is a file.
        line: Its line, counted from 1.
        key: The dotted key concerned.
    """

    default_exit_status = EXIT_USAGE

    def __init__(
        self,
        message: str,
        hint: str = "",
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.file = file
        self.line = line
        self.key = key


class BackendNotFoundError(PrimusError):
    """No backend has the name that the experiment asks for."""

    default_exit_status = EXIT_USAGE


class BackendPathError(PrimusError):
    """The framework is not at the place that was asked for, or nowhere."""

    default_exit_status = EXIT_ENVIRONMENT


class LaunchEnvironmentError(PrimusError):
    """The process environment or the host lacks something that the run needs."""

    default_exit_status = EXIT_ENVIRONMENT


class PatchError(PrimusError):
    """A patch to a framework failed, or two patches share an id."""


class TrainerError(PrimusError):
    """A trainer broke its contract."""
