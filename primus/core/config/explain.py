"""Where a value comes from, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from primus.core.config.dump import shown_value
from primus.core.config.experiment import Experiment
from primus.core.config.nearest import nearest_key, nearest_name
from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, history, leaves
from primus.core.config.origin import Origin
from primus.core.config.schema import describe_keys, params_document
from primus.core.config.schema_check import describe_type
from primus.core.config.secrets import MASK, looks_secret
from primus.core.config.yaml_writer import flow_text, scalar_text
from primus.core.errors import ConfigError


def explain(experiment: Experiment, key: str, descriptions: Mapping[str, str] | None = None) -> list[str]:
    """Return lines that tell a value, where it was set, what it replaced, its type, default and description.

    Args:
        experiment: A composed experiment.
        key: Dotted key of a parameter, an identity field or ``env.NAME``.
        descriptions: Texts about keys, from the framework's source.

    Raises:
        ConfigError: There is no such key.
    """
    document = params_document(experiment.schema)
    entry = _entry(document, key)
    node = experiment.params.find(key) or experiment.fixed.find(key)
    if node is None and entry is None:
        _unknown(experiment, document, key)
    if isinstance(node, MappingNode) and node.items:
        return [f"{path} = {value_text(item, path)}  # {_place(item.origin)}" for path, item in leaves(node, f"{key}.")]
    lines = [f"{key} = {value_text(node, key)}"] if node is not None else [f"{key} is not set"]
    if node is not None:
        lines.append(f"  set by      {_place(node.origin)}{_written(node, key)}")
        lines += [f"  replaced    {_old_text(old, key)} from {_place(old.origin)}" for old in history(node)]
    if entry is not None:
        lines.append(f"  type        {describe_type(entry)}")
        if "default" in entry:
            lines.append(f"  default     {flow_text(entry['default'])}{_whose(experiment, key)}")
        text = (descriptions or {}).get(key) or entry.get("description", "")
        lines += [f"  {'about' if not number else '':<11} {line}" for number, line in enumerate(text.splitlines())]
    return lines


def value_text(node: Node, key: str) -> str:
    """Return a value in one line, secrets hidden.

    Args:
        node: Any node.
        key: Its dotted key.
    """
    if isinstance(node, ScalarNode):
        return scalar_text(shown_value(node, key))
    if isinstance(node, SequenceNode):
        return "[" + ", ".join(value_text(item, key) for item in node.items) + "]"
    return "{" + ", ".join(f"{name}: {value_text(item, f'{key}.{name}')}" for name, item in node.items.items()) + "}"


def _place(origin: Origin) -> str:
    return f"{origin.place} ({origin.layer})" if origin.line else origin.file


def _written(node: Node, key: str) -> str:
    source = node.source if isinstance(node, ScalarNode) else None
    if source is None:
        return ""
    # The default inside a secret's substitution may be the secret itself.
    return ", as a substitution" if looks_secret(key, source, source) else f", as {source}"


def _old_text(node: Node, key: str) -> str:
    if isinstance(node, ScalarNode) and "${" in node.text:
        return MASK if looks_secret(key, node.text, node.text) else node.text
    return value_text(node, key)


def _whose(experiment: Experiment, key: str) -> str:
    schema = experiment.schema
    if schema is None or _entry(schema.document, key) is None:
        return " (Primus)"
    return f" ({schema.framework} {schema.version})"


def _entry(document: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    entry: Any = document
    for part in key.split("."):
        entry = entry.get("properties", {}).get(part)
        if entry is None:
            return None
    return entry if isinstance(entry, Mapping) else None


def _unknown(experiment: Experiment, document: Mapping[str, Any], key: str) -> None:
    known = list(dict.fromkeys(_known_keys(experiment, document)))
    best = nearest_key(key, known) or nearest_name(key, known)
    hint = f"did you mean {best}?" if best else "config show lists the keys that are set"
    raise ConfigError(f"command line: no key {key}", hint, key=key)


def _known_keys(experiment: Experiment, document: Mapping[str, Any]) -> Iterator[str]:
    yield from (name for name, _ in leaves(experiment.params))
    yield from (name for name, _ in describe_keys(document))
    yield from (name for name, _ in leaves(experiment.fixed) if not name.startswith("module."))
