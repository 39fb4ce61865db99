"""The JSON Schema of a whole experiment file, for editors and for checks by other tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primus.core.config.experiment_file import IDENTITY_KEYS, MODULE_OF_STAGE
from primus.core.config.schema import Schema, params_document

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VARIABLE = {"type": "string", "pattern": r"\$\{"}
_TEXT_LIKE = {"type": ["string", "number", "boolean"]}


def experiment_schema(schema: Schema | None, framework: str, presets: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return a JSON Schema 2020-12 for experiment files of one framework.

    It describes files as they are written: where a key wants a number, ``${VAR}`` may stand as well.

    Args:
        schema: The framework's parameters; None where every key goes.
        framework: The framework's name.
        presets: Names of the presets, under ``config`` and ``model``.
    """
    module = {
        "type": "object",
        "properties": {
            "framework": {"anyOf": [{"const": framework}, _VARIABLE]},
            "config": _preset(presets.get("config", [])),
            "model": _preset(presets.get("model", [])),
            "overrides": _as_written({**params_document(schema), "type": ["object", "null"]}),
        },
        "additionalProperties": False,
    }
    # What a file extends may name the framework.
    named = {"properties": {"modules": {"additionalProperties": {"required": ["framework"]}}}}
    return {
        "$schema": DIALECT,
        "title": f"Primus experiment for {framework}" + (f" {schema.version}" if schema else ""),
        "type": "object",
        "properties": {
            "extends": {"anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": {"type": "string"}}]},
            **dict.fromkeys(IDENTITY_KEYS, _TEXT_LIKE),
            "env": {
                "type": ["object", "null"],
                "patternProperties": {"^[A-Za-z_][A-Za-z0-9_]*$": _TEXT_LIKE},
                "additionalProperties": False,
            },
            "modules": {
                "type": "object",
                "properties": dict.fromkeys(MODULE_OF_STAGE.values(), module),
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
        "if": {"not": {"required": ["extends"]}},
        "then": named,
    }


def _preset(names: list[str]) -> dict[str, Any]:
    return {"anyOf": [{"enum": names}, {"type": ["string", "null"]}]} if names else {"type": ["string", "null"]}


def _as_written(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Let substitutions stand for values, and plain numbers and truth values for text."""
    if "properties" in entry or entry.get("type") in ("object", ["object", "null"]):
        properties = {key: _as_written(inner) for key, inner in entry.get("properties", {}).items()}
        return {**entry, "properties": properties} if properties else dict(entry)
    about = {key: entry[key] for key in ("default", "description") if key in entry}
    rule = {key: value for key, value in entry.items() if key not in about}
    if not rule:
        return {**about}
    choices = [*rule.pop("anyOf", [])] or [rule]
    written = []
    for choice in choices:
        types = choice.get("type", [])
        types = [types] if isinstance(types, str) else list(types)
        if "array" in types and "items" in choice:
            choice = {**choice, "items": _as_written(choice["items"])}
        written.append(choice)
        if "string" in types:
            written.append(_TEXT_LIKE)
    return {**about, "anyOf": [*written, _VARIABLE]}
