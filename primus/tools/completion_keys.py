"""The configuration keys of an experiment and their values, as records for shell completion."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from primus.core.config.experiment_file import IDENTITY_KEYS, MODULE_OF_STAGE, read_module, select_module
from primus.core.config.extends import FileLoader
from primus.core.config.framework_facts import detect_version
from primus.core.config.nodes import MappingNode
from primus.core.config.paths import absolute
from primus.core.config.schema import describe_keys, load_schema, params_document
from primus.core.config.schema_check import describe_type
from primus.core.config.yaml_writer import flow_text
from primus.core.errors import PrimusError

_NAMES_A_PATH = re.compile(r"(?:^|_)(?:path|paths|file|files|folder|dir|directory)$")


def known_keys(config: str, stage: str) -> dict[str, Mapping[str, Any]]:
    """Return the dotted keys that may be set in an experiment, each with its JSON Schema.

    Args:
        config: The experiment file; where it cannot be read, only the keys of Primus itself.
        stage: ``pretrain``, ``posttrain``, or empty for the one that the file has.
    """
    framework = framework_of(absolute(config), stage)
    schema = load_schema(framework, detect_version(framework)) if framework else None
    keys: dict[str, Mapping[str, Any]] = {key: {"type": "string"} for key in IDENTITY_KEYS}
    keys.update(describe_keys(params_document(schema)))
    return keys


def framework_of(path: Path, stage: str) -> str:
    """Return the framework that an experiment names; empty where that cannot be told.

    Args:
        path: The experiment file.
        stage: As for ``known_keys``.
    """
    try:
        root = FileLoader("experiment", os.environ).load(path)
        modules = root.items.get("modules")
        names = modules.items if isinstance(modules, MappingNode) else {}
        present = [each for each, name in MODULE_OF_STAGE.items() if name in names]
        chosen = stage if stage in MODULE_OF_STAGE else next(iter(present), "pretrain")
        return read_module(*select_module(root, str(path), chosen), os.environ).framework.text
    except (PrimusError, OSError):
        return ""


def key_records(typed: str, known: Mapping[str, Mapping[str, Any]], before: str = "", after: str = "") -> Iterator[str]:
    """Yield the keys that start as typed, up to their next dot: hundreds at once would help nobody.

    Args:
        typed: What stands there of the key.
        known: The keys with their schemas.
        before: What stands before the key.
        after: What follows it; where there is something, the word goes on.
    """
    matching = [key for key in known if key.startswith(typed)]
    ends = [key.find(".", len(typed)) + 1 or len(key) for key in matching]
    heads = list(dict.fromkeys(key[:end] for key, end in zip(matching, ends, strict=True)))
    if len(heads) == 1 and heads[0].endswith("."):
        yield from key_records(heads[0], known, before, after)
        return
    for head in heads:
        if head.endswith("."):
            yield f"p{before}{head}\t"
        else:
            yield f"{'p' if after else 'w'}{before}{head}{after}\t{describe_key(known[head])}"


def describe_key(entry: Mapping[str, Any]) -> str:
    """Return a key's type and default in words.

    Args:
        entry: Its schema.
    """
    words = describe_type(entry)
    return f"{words}, default {flow_text(entry['default'])}" if "default" in entry else words


def value_records(key: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of a key where there is a choice, or that files belong there.

    Args:
        key: The dotted key.
        entry: Its schema.
    """
    values = list(dict.fromkeys(_choices(entry)))
    if [value for value in values if value != "null"]:
        yield from (f"w{value}\t" for value in values)
    elif "string" in _types(entry) and _NAMES_A_PATH.search(key.rpartition(".")[2]):
        yield "fany\t"


def _choices(entry: Mapping[str, Any]) -> Iterator[str]:
    for choice in entry.get("anyOf", ()):
        yield from _choices(choice)
    yield from (flow_text(value) for value in entry.get("enum", ()))
    types = _types(entry)
    if "boolean" in types:
        yield from ("true", "false")
    if "null" in types:
        yield "null"


def _types(entry: Mapping[str, Any]) -> list[str]:
    types = entry.get("type", [])
    return [types] if isinstance(types, str) else [*types]
