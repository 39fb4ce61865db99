"""The fixed part of an experiment file: identity, ``env:``, ``modules:`` and what a module holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from primus.core.config.nearest import nearest_name
from primus.core.config.nodes import MappingNode, Node, ScalarNode, empty_mapping
from primus.core.config.origin import Origin
from primus.core.config.paths import shown_path
from primus.core.config.problems import Problem
from primus.core.config.secrets import MASK
from primus.core.config.substitution import substitute_scalar
from primus.core.config.variables import hidden_value
from primus.core.errors import ConfigError

IDENTITY_KEYS = ("work_group", "user_name", "exp_name", "workspace")
TOP_KEYS = (*IDENTITY_KEYS, "env", "modules")
MODULE_KEYS = ("framework", "config", "model", "overrides")
MODULE_OF_STAGE = {"pretrain": "pre_trainer", "posttrain": "post_trainer"}
IDENTITY_DEFAULTS = {"work_group": "local", "user_name": "local", "workspace": "./output"}

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

Report = Callable[[Problem], None]


@dataclass(frozen=True)
class ModuleSection:
    """What ``modules.<name>`` says.

    Attributes:
        name: ``pre_trainer`` or ``post_trainer``.
        framework: The framework's name.
        config: Name of the module preset, or None.
        model: Name of the model preset, or None.
        overrides: Parameters above the presets.
    """

    name: str
    framework: ScalarNode
    config: ScalarNode | None
    model: ScalarNode | None
    overrides: MappingNode


def check_names(section: MappingNode, known: Iterable[str], prefix: str, report: Report) -> None:
    """Report keys that are not known.

    Args:
        section: Any section.
        known: Its keys.
        prefix: Dotted key of the section with a dot at its end; empty at the top.
        report: Called with each problem.
    """
    names = list(known)
    for key, node in section.items.items():
        if key not in names:
            best = nearest_name(key, names)
            report(Problem("unknown", prefix + key, node.origin, "unknown key", prefix + best if best else None))


def check_fixed_names(root: MappingNode, report: Report) -> None:
    """Report unknown keys at the top, under ``modules`` and in each module.

    Args:
        root: The experiment file's section.
        report: Called with each problem.
    """
    check_names(root, TOP_KEYS, "", report)
    modules = root.items["modules"]
    if isinstance(modules, MappingNode):
        check_names(modules, MODULE_OF_STAGE.values(), "modules.", report)
        for name in MODULE_OF_STAGE.values():
            section = modules.items.get(name)
            if isinstance(section, MappingNode):
                check_names(section, MODULE_KEYS, f"modules.{name}.", report)


def select_module(root: MappingNode, path: str, stage: str) -> tuple[str, MappingNode]:
    """Return the name and the section of the module that a stage trains.

    Args:
        root: The experiment file's section.
        path: The experiment file, for messages.
        stage: ``pretrain`` or ``posttrain``.

    Raises:
        ConfigError: There is none.
    """
    wanted = MODULE_OF_STAGE[stage]
    modules = root.items.get("modules")
    if modules is None:
        best = nearest_name("modules", root.items)
        near = f" (did you mean modules instead of {best}?)" if best else ""
        hint = f"write modules: and under it {wanted}:"
        raise ConfigError(f"{shown_path(path)}: no modules{near}", hint, path)
    if not isinstance(modules, MappingNode) or not modules.items:
        what = "is empty" if _is_nothing(modules) else "is no section"
        raise _error(modules, f"modules {what}", f"write {wanted}: under modules:")
    section = modules.items.get(wanted)
    if section is None:
        others = [name for name in MODULE_OF_STAGE.values() if name in modules.items]
        if others:
            other_stage = next(name for name, module in MODULE_OF_STAGE.items() if module == others[0])
            hint = f"run train {other_stage}, or add {wanted}: under modules:"
            raise _error(modules, f"modules holds no {wanted}, only {others[0]}", hint)
        best = nearest_name(wanted, modules.items)
        near = f", but {best}" if best else ""
        raise _error(modules, f"modules holds no {wanted}{near}", f"write {wanted}: under modules:")
    if not isinstance(section, MappingNode) or not section.items:
        what = "is empty" if _is_nothing(section) else "is no section"
        raise _error(section, f"modules.{wanted} {what}", "write framework:, config: and model: under it")
    return wanted, section


def read_module(name: str, section: MappingNode, environ: Mapping[str, str]) -> ModuleSection:
    """Read ``modules.<name>``.

    Args:
        name: ``pre_trainer`` or ``post_trainer``.
        section: Its section.
        environ: Variables for substitution.

    Raises:
        ConfigError: The framework is missing, or a value has the wrong form.
    """
    framework = _text(section, "framework", name, environ)
    if framework is None:
        best = nearest_name("framework", section.items)
        near = f", but {best}" if best and best not in MODULE_KEYS else ""
        raise _error(section, f"modules.{name} names no framework{near}", "write framework: torchtitan, or another")
    overrides = section.items.get("overrides")
    if overrides is None or _is_nothing(overrides):
        overrides = empty_mapping(section.origin)
    if not isinstance(overrides, MappingNode):
        raise _error(overrides, f"modules.{name}.overrides is no section", "write key: value lines under it")
    if "extends" in overrides.items:
        node = overrides.items["extends"]
        raise _error(node, "extends: stands inside overrides", "move it to the top of the file")
    config = _text(section, "config", name, environ)
    return ModuleSection(name, framework, config, _text(section, "model", name, environ), overrides)


def _text(section: MappingNode, key: str, module: str, environ: Mapping[str, str]) -> ScalarNode | None:
    node = section.items.get(key)
    if node is None or _is_nothing(node):
        return None
    if not isinstance(node, ScalarNode):
        raise _error(node, f"modules.{module}.{key} wants one name", f"write {key}: NAME")
    filled = substitute_scalar(node, environ, f"modules.{module}.{key}")
    return filled if filled.text else None


def read_identity(root: MappingNode, path: str, environ: Mapping[str, str], report: Report) -> MappingNode:
    """Return the identity fields, each of them text; absent ones with their defaults.

    Args:
        root: The experiment file's section, with the overrides of identity fields merged in.
        path: The experiment file; its name is the default of ``exp_name``.
        environ: Variables for substitution.
        report: Called with each problem.
    """
    items: dict[str, Node] = {}
    for key in IDENTITY_KEYS:
        node = root.items.get(key)
        if node is None:
            default = IDENTITY_DEFAULTS.get(key) or Path(path).stem
            items[key] = ScalarNode(default, default, False, Origin("Primus's default", 0, 0, "default"))
            continue
        if not isinstance(node, ScalarNode):
            report(Problem("type", key, node.origin, "wants text, got a list or section"))
            continue
        if _is_nothing(node) and node.text:
            hint = "write a name, in quotes if it is this one, or leave the key out"
            report(Problem("type", key, node.origin, f"wants text, got nothing ({node.text})", hint=hint))
            continue
        try:
            filled = substitute_scalar(node, environ, key)
        except ConfigError as error:
            report(Problem.from_error(error, key))
            continue
        text = filled.text
        problem = _identity_problem(key, text)
        if problem:
            report(Problem("structure", key, node.origin, problem))
        items[key] = ScalarNode(text, text, False, node.origin, node.replaced, filled.source)
    return MappingNode(items, root.origin)


def _identity_problem(key: str, text: str) -> str:
    if not text.strip():
        return "is empty"
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        return f"holds a control character: {text!r}"
    # The fields name folders below the workspace; leaving it would put runs where nobody looks.
    if key != "workspace" and (text.startswith("/") or ".." in text.split("/")):
        return f"leads out of the workspace: {text!r}"
    return ""


def read_env(root: MappingNode, environ: Mapping[str, str], report: Report) -> MappingNode:
    """Return the ``env:`` block with each value as text.

    Args:
        root: The experiment file's section.
        environ: Variables for substitution.
        report: Called with each problem.
    """
    block = root.items.get("env")
    if block is None or _is_nothing(block):
        return empty_mapping(root.origin)
    if not isinstance(block, MappingNode):
        report(Problem("type", "env", block.origin, "wants NAME: value lines"))
        return empty_mapping(block.origin)
    items: dict[str, Node] = {}
    for name, node in block.items.items():
        key = f"env.{name}"
        if not _ENV_NAME.fullmatch(name):
            report(Problem("structure", key, node.origin, "is no name for an environment variable"))
        elif not isinstance(node, ScalarNode):
            report(Problem("type", key, node.origin, "wants one value, got a list or section"))
        elif _is_nothing(node):
            report(Problem("type", key, node.origin, 'has no value (write "" for an empty one)'))
        elif "\0" in node.text:
            report(Problem("type", key, node.origin, "holds a NUL character"))
        else:
            try:
                filled = substitute_scalar(node, environ, key)
            except ConfigError as error:
                report(Problem.from_error(error, key))
                continue
            if filled.text == MASK:
                report(hidden_value(key, node))
            items[name] = ScalarNode(filled.text, filled.text, False, node.origin, node.replaced, filled.source)
    return MappingNode(items, block.origin)


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.plain and node.value is None


def _error(node: Node, what: str, hint: str) -> ConfigError:
    return ConfigError(f"{node.origin.place}: {what}", hint, node.origin.file, node.origin.line or None)
