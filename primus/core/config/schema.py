"""Schemas of the frameworks' parameters: which one fits an installed version."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primus.core.config.owned_keys import OWNED_SCHEMA
from primus.core.config.presets import default_configs_dir
from primus.core.config.schema_check import check, coerce

__all__ = ["Schema", "check", "coerce", "describe_keys", "load_schema", "params_document", "schema_versions"]

_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class Schema:
    """The parameters that one version of a framework takes.

    Attributes:
        framework: The framework's name.
        version: The version the document was made from.
        document: JSON Schema 2020-12.
    """

    framework: str
    version: str
    document: Mapping[str, Any]


def schema_versions(framework: str, schemas_dir: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the versions that have a schema file, oldest first.

    Args:
        framework: The framework's name.
        schemas_dir: Folder of ``<framework>-<version>.json``; Primus's own when omitted.
    """
    folder = Path(schemas_dir) if schemas_dir is not None else default_configs_dir() / "schemas"
    found = {}
    if folder.is_dir():
        for path in folder.iterdir():
            version = path.name.removeprefix(f"{framework}-").removesuffix(".json")
            if path.name == f"{framework}-{version}.json" and _RELEASE.fullmatch(version):
                found[version] = path
    return dict(sorted(found.items(), key=lambda item: release_of(item[0])))


def load_schema(
    framework: str, version: str | None, schemas_dir: str | os.PathLike[str] | None = None
) -> Schema | None:
    """Return the schema for a framework: of that version, else the highest of the same major.minor, else None.

    Args:
        framework: The framework's name.
        version: Its version; None where it is not known, which takes the newest schema.
        schemas_dir: As for ``schema_versions``.
    """
    known = schema_versions(framework, schemas_dir)
    if not known:
        return None
    if version is None:
        chosen = next(reversed(known))
    else:
        wanted = release_of(version)
        exact = [name for name in known if release_of(name) == wanted]
        series = [name for name in known if wanted and release_of(name)[:2] == wanted[:2]]
        if not (exact or series):
            return None
        chosen = (exact or series)[-1]
    with open(known[chosen], encoding="utf-8") as stream:
        return Schema(framework, chosen, json.load(stream))


def release_of(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without pre-release or local parts; empty where there are none.

    Args:
        version: Such as ``0.2.2+cpu``.
    """
    match = _RELEASE.match(version)
    return tuple(int(part) for part in match.group(1).split(".")) if match else ()


def params_document(schema: Schema | None) -> dict[str, Any]:
    """Return the JSON Schema of a module's parameters: the framework's and those Primus owns.

    Args:
        schema: The framework's; None lets every key through that Primus does not own.
    """
    document: Mapping[str, Any] = schema.document if schema is not None else {}
    return {
        "type": "object",
        "properties": {**document.get("properties", {}), **OWNED_SCHEMA},
        "additionalProperties": document.get("additionalProperties", True),
    }


def describe_keys(document: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each key that holds a value, dotted, with its schema.

    Args:
        document: JSON Schema of a section.
        prefix: Dotted key of the section with a dot at its end; empty at the top.
    """
    for name, entry in document.get("properties", {}).items():
        if entry.get("properties"):
            yield from describe_keys(entry, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", entry
