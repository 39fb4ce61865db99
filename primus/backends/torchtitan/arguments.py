"""Parameters of an experiment to TorchTitan's JobConfig."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from typing import Any

from primus.core.config.dataclass_schema import schema_from_dataclass
from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_plain
from primus.core.config.origin import Origin
from primus.core.config.owned_keys import OWNED_KEYS
from primus.core.config.problems import raise_problems
from primus.core.config.schema_check import fit
from primus.core.errors import ConfigError
from primus.core.utils.module_utils import warning_rank_0

_ORIGIN = Origin("the composed parameters", 0, 0, "composed")


def build_job_config(params: Mapping[str, Any], *, allow_unknown: bool = False) -> Any:
    """Return the JobConfig for nested parameters.

    The dataclasses of the very TorchTitan that will train are walked, so this also finds what a generated schema of
    a neighbouring version lets through.

    Args:
        params: Nested parameters; keys that Primus owns are left out.
        allow_unknown: Warn about unknown keys and leave them out, instead of refusing them.

    Raises:
        ConfigError: Keys are unknown, or values are of a wrong type or no valid choice; all of them at once.
    """
    from torchtitan.config import ConfigManager, JobConfig

    values = {key: value for key, value in params.items() if key not in OWNED_KEYS}
    config_class = _config_class(values, ConfigManager, JobConfig)
    node, problems = fit(_node(values), schema_from_dataclass(config_class))
    if allow_unknown:
        for problem in problems:
            if problem.kind == "unknown":
                warning_rank_0("%s; it is left out", problem.line())
        problems = [problem for problem in problems if problem.kind != "unknown"]
    raise_problems(problems)
    config = _instance(config_class, to_plain(node))
    manager = ConfigManager()
    manager.config = config
    # Upstream's own last touches: deprecated names, and a warning about a missing tokenizer folder.
    manager._validate_config()
    return config


def _config_class(values: Mapping[str, Any], manager: Any, config_class: type[Any]) -> type[Any]:
    """Return the class with a user's extension merged into it, as ``ConfigManager`` of 0.2 does."""
    job, experimental = values.get("job") or {}, values.get("experimental") or {}
    module = job.get("custom_config_module") or experimental.get("custom_args_module")
    if not module:
        return config_class
    try:
        custom = importlib.import_module(str(module)).JobConfig
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ConfigError(
            f"job.custom_config_module: no module {module!r}",
            "it must be importable: add its folder to PYTHONPATH",
            key="job.custom_config_module",
        ) from error
    except AttributeError as error:
        raise ConfigError(
            f"job.custom_config_module: module {module!r} has no class JobConfig",
            "it must define a dataclass of that name, whose fields extend TorchTitan's",
            key="job.custom_config_module",
        ) from error
    merged: type[Any] = manager._merge_configs(config_class, custom)
    return merged


def _instance(config_class: type[Any], values: Mapping[str, Any]) -> Any:
    arguments = {}
    for field in dataclasses.fields(config_class):
        if field.name not in values:
            continue
        value = values[field.name]
        nested = _section_class(field)
        arguments[field.name] = _instance(nested, value or {}) if nested is not None else value
    try:
        return config_class(**arguments)
    except (AssertionError, ValueError) as error:
        # Upstream's own checks in __post_init__.
        raise ConfigError(f"{config_class.__name__.lower()}: {error}") from error


def _section_class(field: dataclasses.Field[Any]) -> type[Any] | None:
    kind = field.type
    return kind if isinstance(kind, type) and dataclasses.is_dataclass(kind) else None


def _node(value: Any) -> MappingNode:
    node = _any_node(value)
    return node if isinstance(node, MappingNode) else MappingNode({}, _ORIGIN)


def _any_node(value: Any) -> Node:
    if isinstance(value, Mapping):
        return MappingNode({str(key): _any_node(item) for key, item in value.items()}, _ORIGIN)
    if isinstance(value, (list, tuple)):
        return SequenceNode(tuple(_any_node(item) for item in value), _ORIGIN)
    # Quoted: composing has already decided which values are text.
    return ScalarNode(value, "" if value is None else str(value), False, _ORIGIN)
