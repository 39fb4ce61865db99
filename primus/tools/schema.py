"""Make the schema of a framework's parameters from the framework itself.

``python -m primus.tools.schema torchtitan`` writes ``primus/configs/schemas/torchtitan-<version>.json``. The file
that defines the configuration is executed alone, with stand-ins for what it imports: the framework's package
cannot be imported on every machine, and torch need not be there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primus.core.backend.backend_registry import BackendRegistry
from primus.core.config.dataclass_schema import schema_from_dataclass
from primus.core.config.nearest import nearest_name
from primus.core.config.presets import default_configs_dir
from primus.core.errors import ConfigError, PrimusError

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class SchemaSource:
    """Where a framework defines its configuration.

    Attributes:
        file: The file, from the framework's package.
        root_class: The dataclass at the top.
        stand_ins: Modules that the file imports but does not need for its definitions, with names they must hold.
        distribution: Name under which the framework is installed.
    """

    file: str
    root_class: str
    stand_ins: Mapping[str, tuple[str, ...]]
    distribution: str


SOURCES = {
    # torchtitan 0.2.0 to 0.2.2: torch and the logger are used by JobConfig.maybe_log alone.
    "torchtitan": SchemaSource(
        file="config/job_config.py",
        root_class="JobConfig",
        stand_ins={"torch": (), "torchtitan": (), "torchtitan.tools": (), "torchtitan.tools.logging": ("logger",)},
        distribution="torchtitan",
    ),
}


def source_of(framework: str) -> SchemaSource:
    """Return where a framework defines its configuration.

    Args:
        framework: The framework's name.

    Raises:
        ConfigError: Primus does not know how to make its schema.
    """
    if framework not in SOURCES:
        best = nearest_name(framework, SOURCES)
        near = f" (did you mean {best}?)" if best else ""
        raise ConfigError(
            f"no schema can be made for framework {framework!r}{near}", f"there is a way for: {', '.join(SOURCES)}"
        )
    return SOURCES[framework]


def definition_file(framework: str, package: str | None = None) -> Path:
    """Return the file that defines a framework's configuration.

    Args:
        framework: The framework's name.
        package: Folder of the framework's package; the one that a run would take when omitted.

    Raises:
        PrimusError: The framework is not there, or holds no such file.
    """
    source = source_of(framework)
    if package is None:
        module_file = BackendRegistry.get_adapter(framework).locate().module_file
        folder = module_file if module_file.is_dir() else module_file.parent
    else:
        folder = Path(package)
    path = folder / source.file
    if not path.is_file():
        raise ConfigError(f"{path} does not exist", "this version of the framework defines its configuration elsewhere")
    return path


def generate(framework: str, version: str, package: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema of a framework's parameters.

    Args:
        framework: The framework's name.
        version: Its version, for the schema's title.
        package: As for ``definition_file``.

    Raises:
        PrimusError: As for ``definition_file``.
    """
    source = source_of(framework)
    module = _execute_alone(definition_file(framework, package), source)
    document = schema_from_dataclass(getattr(module, source.root_class))
    _add_ranges(document, framework)
    return {"$schema": DIALECT, "title": f"{framework} {version}", **document}


def _execute_alone(path: Path, source: SchemaSource) -> types.ModuleType:
    before = {name: sys.modules.get(name) for name in source.stand_ins}
    module = types.ModuleType(f"_primus_schema_{path.stem}")
    for name, members in source.stand_ins.items():
        stand_in = types.ModuleType(name)
        for member in members:
            setattr(stand_in, member, None)
        sys.modules[name] = stand_in
    # typing.get_type_hints looks the module of each class up by name.
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    finally:
        for name, known in before.items():
            if known is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = known
    return module


def _add_ranges(document: dict[str, Any], framework: str) -> None:
    """Put the limits on numbers that a framework's types do not tell, but its code checks."""
    try:
        module = importlib.import_module(f"primus.backends.{framework}.value_ranges")
    except ModuleNotFoundError:
        return
    for key, limits in module.VALUE_RANGES.items():
        entry: Any = document
        for part in key.split("."):
            entry = entry["properties"].get(part) if entry is not None else None
        if entry is not None and "anyOf" in limits:
            # The alternatives carry their own types.
            entry.pop("type", None)
        if entry is not None:
            entry.update(limits)


def rendered(document: Mapping[str, Any]) -> str:
    """Return a schema as it stands in its file.

    Args:
        document: JSON Schema.
    """
    return _rendered(document, "") + "\n"


def _rendered(value: Any, indent: str) -> str:
    """Return JSON with each leaf of the schema in one line, so that a difference shows one key in one line."""
    inner = indent + " "
    nested = isinstance(value, dict) and any(isinstance(item, dict) for item in value.values())
    if not nested or set(value) & {"anyOf", "items"}:
        return json.dumps(value)
    lines = [f"{inner}{json.dumps(key)}: {_rendered(item, inner)}" for key, item in value.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    parser = argparse.ArgumentParser(
        prog="python -m primus.tools.schema", description="Make the schema of a framework's parameters."
    )
    parser.add_argument("framework", help=f"one of: {', '.join(SOURCES)}")
    parser.add_argument("--package", help="folder of the framework's package, instead of the installed one")
    parser.add_argument("--version", help="its version, instead of the installed one's")
    parser.add_argument("--output", help="file to write, - for standard output; by default the checked-in place")
    args = parser.parse_args(argv)
    try:
        version = args.version or importlib.metadata.version(source_of(args.framework).distribution)
        text = rendered(generate(args.framework, version, args.package))
    except importlib.metadata.PackageNotFoundError:
        sys.stderr.write(f"[primus] ERROR {args.framework} is not installed\nname --package and --version\n")
        return 3
    except PrimusError as error:
        sys.stderr.write("[primus] ERROR " + "\n".join(error.lines()) + "\n")
        return error.exit_status
    if args.output == "-":
        sys.stdout.write(text)
        return 0
    default = default_configs_dir() / "schemas" / f"{args.framework}-{version}.json"
    path = Path(args.output) if args.output else default
    path.write_text(text, encoding="utf-8")
    sys.stderr.write(f"[primus] wrote {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
