"""Nested dicts to nested ``SimpleNamespace`` and back: the published form of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any


def to_namespace(values: Mapping[str, Any]) -> SimpleNamespace:
    """Return a namespace with a namespace for each section.

    Args:
        values: Nested mapping; lists are copied, mappings inside lists become namespaces too.
    """
    return SimpleNamespace(**{key: _wrap(value) for key, value in values.items()})


def to_dict(namespace: Any) -> Any:
    """Return the nested dicts behind a namespace; anything else is returned as it is.

    Args:
        namespace: A ``SimpleNamespace``, mapping, list or scalar.
    """
    if isinstance(namespace, SimpleNamespace):
        namespace = vars(namespace)
    if isinstance(namespace, Mapping):
        return {key: to_dict(value) for key, value in namespace.items()}
    if isinstance(namespace, list):
        return [to_dict(item) for item in namespace]
    return namespace


def _wrap(value: Any) -> Any:
    if isinstance(value, Mapping):
        return to_namespace(value)
    if isinstance(value, list):
        return [_wrap(item) for item in value]
    return value
