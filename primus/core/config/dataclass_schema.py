"""A JSON Schema from a tree of dataclasses."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from pathlib import PurePath
from typing import Any, Literal, Union

_SIMPLE = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def schema_from_dataclass(cls: type[Any]) -> dict[str, Any]:
    """Return a JSON Schema 2020-12 for a dataclass: names, types, choices and defaults.

    Args:
        cls: A dataclass; fields that are dataclasses become sections.

    Raises:
        TypeError: ``cls`` is no dataclass, or a field has a type that has no form in JSON.
    """
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise TypeError(f"{cls!r} is no dataclass")
    hints = typing.get_type_hints(cls)
    properties: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        try:
            entry = _schema_of(hints[field.name])
        except TypeError as error:
            raise TypeError(f"{cls.__name__}.{field.name}: {error}") from None
        if "properties" not in entry:
            entry = {**entry, **_default_of(field)}
        properties[field.name] = entry
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _schema_of(annotation: Any) -> dict[str, Any]:
    if annotation in _SIMPLE:
        return {"type": _SIMPLE[annotation]}
    if annotation is Any or annotation is object:
        return {}
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return schema_from_dataclass(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return {"enum": [member.value for member in annotation]}
    if isinstance(annotation, type) and issubclass(annotation, PurePath):
        return {"type": "string"}
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return _schema_of(arguments[0])
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _union([_schema_of(argument) for argument in arguments])
    if annotation in (list, tuple, set) or origin in (list, set, frozenset):
        return {"type": "array", "items": _schema_of(arguments[0])} if arguments else {"type": "array"}
    if origin is tuple:
        inner = [_schema_of(argument) for argument in arguments if argument is not ...]
        size = {} if ... in arguments else {"minItems": len(inner), "maxItems": len(inner)}
        return {"type": "array", "items": _union(inner), **size}
    if annotation is dict or origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1]) if arguments else True}
    raise TypeError(f"no JSON Schema for {annotation!r}")


def _union(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Join alternatives: simple types into one list of types, null into an enum, the rest as they are."""
    simple = [choice["type"] for choice in choices if set(choice) == {"type"} and choice["type"] != "array"]
    others = [choice for choice in choices if not (set(choice) == {"type"} and choice["type"] != "array")]
    simple = [kind for kind in dict.fromkeys(simple) if not (kind == "integer" and "number" in simple)]
    if not others:
        return {"type": simple[0] if len(simple) == 1 else simple}
    unique = [choice for number, choice in enumerate(others) if choice not in others[:number]]
    if len(unique) == 1 and not simple:
        return unique[0]
    if len(unique) == 1 and simple == ["null"] and set(unique[0]) == {"enum"}:
        return {"enum": [*unique[0]["enum"], None]}
    joined = [{"type": simple[0] if len(simple) == 1 else simple}] if simple else []
    return {"anyOf": [*unique, *joined]}


def _default_of(field: dataclasses.Field[Any]) -> dict[str, Any]:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return {}
    plain = _plain(value)
    return {} if plain is _OPAQUE else {"default": plain}


_OPAQUE = object()


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, (list, tuple)):
        items = [_plain(item) for item in value]
        return _OPAQUE if any(item is _OPAQUE for item in items) else items
    if isinstance(value, dict):
        entries = {str(key): _plain(item) for key, item in value.items()}
        return _OPAQUE if any(item is _OPAQUE for item in entries.values()) else entries
    return _OPAQUE
