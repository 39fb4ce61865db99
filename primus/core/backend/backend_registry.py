"""Which backends there are. A backend's package is imported when it is asked for, not before."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import Any

from primus.core.backend.backend_adapter import BackendAdapter
from primus.core.errors import BackendNotFoundError, PrimusError

ENTRY_POINT_GROUP = "primus.backends"


def _entry_points() -> Any:
    # Imported late: it costs more than the rest of the check before a launch, and few have such backends.
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINT_GROUP)


def _in_tree() -> set[str]:
    import primus.backends

    return {module.name for module in pkgutil.iter_modules(primus.backends.__path__) if module.ispkg}


class BackendRegistry:
    """Names of backends and the adapter classes behind them."""

    _adapters: dict[str, type[BackendAdapter]] = {}

    @classmethod
    def register_adapter(cls, name: str, adapter_class: type[BackendAdapter]) -> None:
        """Make a backend known.

        Args:
            name: What ``framework:`` in an experiment file says.
            adapter_class: A subclass of ``BackendAdapter``.

        Raises:
            PrimusError: The class is no adapter, or another class has the name.
        """
        if not (isinstance(adapter_class, type) and issubclass(adapter_class, BackendAdapter)):
            raise PrimusError(f"register_adapter({name!r}): {adapter_class!r} is not a subclass of BackendAdapter")
        known = cls._adapters.get(name)
        if known is not None and known is not adapter_class:
            raise PrimusError(
                f"backend {name!r} is registered twice: by {known.__module__}.{known.__qualname__} "
                f"and by {adapter_class.__module__}.{adapter_class.__qualname__}",
                "give one of them another name",
            )
        cls._adapters[name] = adapter_class

    @classmethod
    def list_backends(cls) -> list[str]:
        """Return the names of all backends that can be asked for, without importing any."""
        names = _in_tree() | set(cls._adapters)
        names.update(entry_point.name for entry_point in _entry_points())
        return sorted(names)

    @classmethod
    def has_backend(cls, name: str) -> bool:
        """Tell whether a backend can be asked for, without importing it.

        Args:
            name: What ``framework:`` in an experiment file says.
        """
        return name in cls._adapters or name in _in_tree() or name in cls.list_backends()

    @classmethod
    def get_adapter(cls, name: str) -> BackendAdapter:
        """Return a new adapter for a backend, importing the backend's package on demand.

        Args:
            name: What ``framework:`` in an experiment file says.

        Raises:
            BackendNotFoundError: There is no such backend, or its package registers nothing under the name.
            Exception: Whatever importing the backend's package raises, unchanged.
        """
        if name not in cls._adapters:
            cls._load(name)
        if name not in cls._adapters:
            raise BackendNotFoundError(
                f"the package of backend {name!r} does not register it",
                f"call BackendRegistry.register_adapter({name!r}, ...) in its __init__.py",
            )
        return cls._adapters[name](name)

    @classmethod
    def _load(cls, name: str) -> None:
        if name.isidentifier():
            module = f"primus.backends.{name}"
            try:
                importlib.import_module(module)
                return
            except ModuleNotFoundError as error:
                # A module missing inside the backend is the backend's fault and keeps its traceback.
                if error.name != module:
                    raise
        for entry_point in _entry_points():
            if entry_point.name == name:
                loaded = entry_point.load()
                if isinstance(loaded, type):
                    cls.register_adapter(name, loaded)
                return
        known = cls.list_backends()
        nearest = difflib.get_close_matches(name, known, n=1)
        raise BackendNotFoundError(
            f"unknown framework {name!r}" + (f": did you mean {nearest[0]!r}?" if nearest else ""),
            f"known frameworks: {', '.join(known) or 'none'}",
        )
