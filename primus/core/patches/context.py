"""What a patch gets to see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class PatchContext:
    """State of the run at the moment a patch is asked about or applied.

    Attributes:
        backend: Name of the backend.
        phase: The phase that runs now.
        device: ``cpu``, ``cuda`` or whatever the run was told to use.
        params: The module's parameters, a nested namespace.
        backend_args: What ``convert_config`` returned; None before that. A ``build_args`` patch may change it
            in place or put another object here.
        detect_version: Answers the framework's version; called at most once, and only when something asks.
    """

    backend: str
    phase: str
    device: str
    params: Any = None
    backend_args: Any = None
    detect_version: Callable[[], str] = field(default=lambda: "", repr=False)
    _version: str | None = field(default=None, repr=False)

    @property
    def backend_version(self) -> str:
        """Return the framework's version, detected on first use."""
        if self._version is None:
            self._version = self.detect_version()
        return self._version
