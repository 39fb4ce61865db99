"""The resolved experiment as a file: loadable again, each value with its origin, secrets hidden."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from primus.core.config.experiment import Experiment
from primus.core.config.experiment_file import IDENTITY_KEYS
from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, history
from primus.core.config.paths import absolute
from primus.core.config.secrets import MASK, looks_secret
from primus.core.config.yaml_writer import key_text, scalar_text
from primus.core.errors import LaunchEnvironmentError

_ONLY_VARIABLES = re.compile(r"(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+")
_EMPTY_DEFAULT = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*:\}")
_INDENT = "  "


def write_resolved(experiment: Experiment, path: str | os.PathLike[str]) -> None:
    """Write the resolved experiment, whole or not at all.

    Args:
        experiment: What to write.
        path: The file; its folder is made where it is missing.

    Raises:
        LaunchEnvironmentError: It cannot be written.
    """
    target = absolute(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".primus-", suffix=".yaml", dir=target.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
                stream.write(resolved_yaml(experiment))
            # mkstemp makes files for the owner alone; this one is to be read by others.
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
        except BaseException:
            temporary.unlink()
            raise
    except OSError as error:
        raise LaunchEnvironmentError(
            f"{target} cannot be written: {error.strerror or error}", "name another file"
        ) from None


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written, before anything starts; make nothing.

    Args:
        path: As for ``write_resolved``.

    Raises:
        LaunchEnvironmentError: It cannot be written.
    """
    target = absolute(path)
    folder = next(parent for parent in target.parents if parent.exists())
    if target.is_dir():
        reason = "it is a directory"
    elif not folder.is_dir():
        reason = f"{folder} is no directory"
    elif not os.access(folder, os.W_OK | os.X_OK):
        reason = f"no permission to write in {folder}"
    else:
        return
    raise LaunchEnvironmentError(f"{target} cannot be written: {reason}", "name another file")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def resolved_yaml(experiment: Experiment, comments: bool = True) -> str:
    """Return the resolved experiment as YAML.

    Args:
        experiment: What to write.
        comments: Tell beside each value where it was set and what it replaced.
    """
    writer = _Writer(comments)
    lines = list(writer.section(_identity(experiment), "", ""))
    env = experiment.fixed.items.get("env")
    if isinstance(env, MappingNode) and env.items:
        lines += ["env:", *writer.section(env, _INDENT, "env.")]
    lines += ["modules:", f"{_INDENT}{experiment.module_name}:"]
    lines.append(f"{_INDENT * 2}framework: {scalar_text(experiment.framework)}")
    if comments and (experiment.config_preset or experiment.model_preset):
        names = [name for name in (experiment.config_preset, experiment.model_preset) if name]
        lines.append(f"{_INDENT * 2}# {_one_line(' and '.join(names))} merged into the overrides")
    if experiment.params.items:
        lines += [f"{_INDENT * 2}overrides:", *writer.section(experiment.params, _INDENT * 3, "")]
    return "\n".join(lines) + "\n"


def section_yaml(node: MappingNode, key: str) -> str:
    """Return one section as YAML, with comments.

    Args:
        node: The section.
        key: Its dotted key.
    """
    return "".join(f"{line}\n" for line in _Writer(True).section(node, "", f"{key}."))


def shown_tree(experiment: Experiment) -> dict[str, Any]:
    """Return the resolved experiment as nested dicts, secrets hidden, for output as JSON.

    Args:
        experiment: What to show.
    """
    env = experiment.fixed.items.get("env")
    tree: dict[str, Any] = {key: shown_json(node, key) for key, node in _identity(experiment).items.items()}
    if isinstance(env, MappingNode) and env.items:
        tree["env"] = shown_json(env, "env")
    module = {"framework": _loadable(experiment.framework), "overrides": shown_json(experiment.params, "")}
    tree["modules"] = {experiment.module_name: module}
    return tree


def shown_value(node: ScalarNode, key: str) -> Any:
    """Return a scalar's value, or the mask where it looks like a secret.

    Args:
        node: The scalar.
        key: Its dotted key.
    """
    if not node.text or node.value is None or isinstance(node.value, bool):
        return node.value
    return MASK if looks_secret(key, node.text, node.source) else node.value


def shown_json(node: Node, key: str) -> Any:
    """Return a node as JSON can hold it and the reader takes it back, secrets hidden.

    Args:
        node: Any node.
        key: Its dotted key; empty for the parameters as a whole.
    """
    if isinstance(node, ScalarNode):
        return _kept_substitution(node, key) or _loadable(shown_value(node, key))
    if isinstance(node, SequenceNode):
        return [shown_json(item, key) for item in node.items]
    return {name: shown_json(item, f"{key}.{name}" if key else name) for name, item in node.items.items()}


def _loadable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("${", "$${")
    # JSON has no such numbers; where a number is wanted, the reader takes them as text.
    return scalar_text(value) if isinstance(value, float) and not math.isfinite(value) else value


def _kept_substitution(node: ScalarNode, key: str) -> str | None:
    """Return what was written for a secret, where it names variables alone and so hides it."""
    if node.source is None:
        return None
    hidden = _ONLY_VARIABLES.fullmatch(node.source) and shown_value(node, key) == MASK
    # Unset today, the variable may hold the secret at the next launch.
    unset = _EMPTY_DEFAULT.fullmatch(node.source) and looks_secret(key, node.text, node.source)
    return node.source if hidden or unset else None


def _identity(experiment: Experiment) -> MappingNode:
    items = {key: experiment.fixed.items[key] for key in IDENTITY_KEYS}
    return MappingNode(items, experiment.fixed.origin)


class _Writer:
    def __init__(self, comments: bool) -> None:
        self.comments = comments

    def section(self, node: MappingNode, indent: str, prefix: str) -> Iterator[str]:
        for name, item in node.items.items():
            key = prefix + name
            head = f"{indent}{key_text(name)}:"
            if isinstance(item, MappingNode) and item.items:
                yield head
                yield from self.section(item, indent + _INDENT, key + ".")
            else:
                yield f"{head} {self.value(item, key)}{self.comment(item, key)}"

    def value(self, node: Node, key: str) -> str:
        if isinstance(node, SequenceNode):
            return "[" + ", ".join(self.value(item, key) for item in node.items) + "]"
        if isinstance(node, MappingNode):
            items = node.items.items()
            return "{" + ", ".join(f"{key_text(k)}: {self.value(v, f'{key}.{k}')}" for k, v in items) + "}"
        # Naming the variable hides the secret and keeps the file loadable.
        kept = _kept_substitution(node, key)
        return scalar_text(shown_value(node, key)) if kept is None else scalar_text(kept, substitution=True)

    def comment(self, node: Node, key: str) -> str:
        if not self.comments:
            return ""
        text = f"{node.origin.place} ({node.origin.layer})" if node.origin.line else node.origin.file
        replaced = next(history(node), None)
        if replaced is not None:
            text += f", replaces {described(replaced, key)} from {replaced.origin.place}"
        return f"  # {_one_line(text)}"


def described(node: Node, key: str) -> str:
    """Return a value in a few words, secrets hidden.

    Args:
        node: Any node.
        key: Its dotted key.
    """
    if isinstance(node, MappingNode):
        return "a section"
    if isinstance(node, SequenceNode):
        return f"a list of {len(node.items)}"
    if looks_secret(key, node.text, node.source or node.text) and node.text:
        return MASK
    if "${" in node.text:
        return scalar_text(node.text, substitution=True)
    return scalar_text(node.value)


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
