"""From an experiment file and a command line to one checked set of parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from primus.core.config.experiment_file import (
    IDENTITY_KEYS,
    MODULE_KEYS,
    MODULE_OF_STAGE,
    TOP_KEYS,
    ModuleSection,
    check_names,
    read_env,
    read_identity,
    read_module,
    select_module,
)
from primus.core.config.extends import FileLoader
from primus.core.config.framework_facts import detect_version, explain_renamed, require_framework
from primus.core.config.merging import merge
from primus.core.config.nearest import nearest_name
from primus.core.config.nodes import MappingNode, Node, ScalarNode, empty_mapping, leaves, to_plain
from primus.core.config.origin import Origin
from primus.core.config.overrides import build_overrides, check_list_paths
from primus.core.config.namespace import to_namespace
from primus.core.config.presets import default_configs_dir, load_preset
from primus.core.config.problems import Problem, raise_problems
from primus.core.config.schema import Schema, load_schema, params_document, schema_versions
from primus.core.config.schema_check import fit, looks_like_environment
from primus.core.config.secrets import MASK
from primus.core.config.substitution import substitute_tree
from primus.core.errors import ConfigError


@dataclass(frozen=True)
class Experiment:
    """A composed and checked experiment, for one module.

    Attributes:
        path: The experiment file, absolute.
        work_group: First folder below the workspace.
        user_name: Second folder.
        exp_name: Third folder.
        workspace: Where runs leave their records, as written.
        env: Environment variables to set before the framework is imported.
        module_name: ``pre_trainer`` or ``post_trainer``.
        framework: Name of the backend.
        config_preset: Name of the module preset, empty without one.
        model_preset: Name of the model preset, empty without one.
        params: The parameters, each with its origin.
        warnings: What a user should know, one text each.
        schema: What the parameters were checked against; None where the framework has none.
        fixed: Identity fields and the sections ``env`` and ``module``, with their origins.
    """

    path: str
    work_group: str
    user_name: str
    exp_name: str
    workspace: str
    env: dict[str, str]
    module_name: str
    framework: str
    config_preset: str
    model_preset: str
    params: MappingNode
    warnings: tuple[str, ...]
    schema: Schema | None
    fixed: MappingNode

    @property
    def directory(self) -> str:
        """Return the absolute folder that holds the experiment's runs."""
        workspace = os.path.expanduser(self.workspace)
        return os.path.abspath(os.path.join(workspace, self.work_group, self.user_name, self.exp_name))

    def params_dict(self) -> dict[str, Any]:
        """Return the parameters as nested dicts."""
        plain: dict[str, Any] = to_plain(self.params)
        return plain

    def module_config(self) -> SimpleNamespace:
        """Return the published form: ``name``, ``framework``, ``config``, ``model`` and nested ``params``."""
        return SimpleNamespace(
            name=self.module_name,
            framework=self.framework,
            config=self.config_preset,
            model=self.model_preset,
            params=to_namespace(self.params_dict()),
        )

    def find(self, key: str) -> Node:
        """Return the node of a parameter, an identity field or ``env.NAME``.

        Args:
            key: Dotted key.

        Raises:
            ConfigError: Nothing set it.
        """
        node = self.params.find(key) or self.fixed.find(key)
        if node is None:
            known = [name for name, _ in leaves(self.params)] + [name for name, _ in leaves(self.fixed)]
            best = nearest_name(key, known)
            raise ConfigError(f"{key}: nothing sets it", f"did you mean {best}?" if best else "", key=key)
        return node

    def origin_of(self, key: str) -> Origin:
        """Return where a value was set.

        Args:
            key: As for ``find``.

        Raises:
            ConfigError: As for ``find``.
        """
        return self.find(key).origin


def compose_experiment(
    config: str | os.PathLike[str],
    *,
    stage: str = "pretrain",
    overrides: Sequence[str] = (),
    hook_overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    configs_dir: str | os.PathLike[str] | None = None,
    allow_unknown: bool = False,
    framework_version: str | Callable[[str], str | None] | None = detect_version,
) -> Experiment:
    """Read an experiment with all its layers, check it, and give each value its type.

    Args:
        config: The experiment file.
        stage: ``pretrain`` or ``posttrain``.
        overrides: The user's overrides, in any of their forms.
        hook_overrides: Overrides from hooks, below the user's.
        environ: Variables for substitution; the process's own when omitted.
        configs_dir: Folder with ``modules/``, ``models/`` and ``schemas/``; Primus's own when omitted.
        allow_unknown: Warn about unknown keys instead of refusing them.
        framework_version: Version to check against, or a function from the framework's name to it.

    Raises:
        ConfigError: The experiment, a preset or an override is wrong; all problems of one kind of check at once.
        BackendNotFoundError: There is no such framework.
    """
    variables = os.environ if environ is None else environ
    presets_dir = os.fspath(configs_dir) if configs_dir is not None else os.fspath(default_configs_dir())
    path = os.path.abspath(config)
    problems: list[Problem] = []
    warnings: list[str] = []

    root = FileLoader("experiment", variables).load(path)
    user_identity, user = _split_identity(build_overrides(overrides, "command line"))
    hook_identity, hooks = _split_identity(build_overrides(hook_overrides, "hook"))
    root = merge(merge(root, hook_identity), user_identity)
    name, section = select_module(root, path, stage)
    _check_fixed_names(root, problems)
    module = read_module(name, section, variables)
    framework = module.framework.text
    if configs_dir is None:
        require_framework(module.framework)

    model, preset = _load_presets(module, presets_dir, variables)
    below = merge(merge(model, preset), module.overrides)
    check_list_paths([hooks, user], below)
    # The one place that decides which layer wins: later ones go on top.
    params = merge(merge(below, hooks), user)

    identity = read_identity(root, path, variables, problems.append)
    env = read_env(root, variables, problems.append)
    params = _fill(params, variables, problems)
    schema, schema_warning = _find_schema(framework, framework_version, presets_dir)
    params, found = fit(params, params_document(schema))
    problems += [explain_renamed(problem, schema) for problem in found]
    if allow_unknown:
        warnings += [problem.line() for problem in problems if problem.kind == "unknown"]
        problems = [problem for problem in problems if problem.kind != "unknown"]
    raise_problems(problems)

    warnings += schema_warning
    warnings += _preset_disagreements(model, preset, params)
    warnings += _hook_values_replaced(hooks, user)
    if schema is None:
        warnings += _misplaced_environment(params)
    texts = {key: _text_of(identity, key) for key in IDENTITY_KEYS}
    fixed = merge(identity, MappingNode({"env": env, "module": section}, root.origin))
    return Experiment(
        path=path,
        work_group=texts["work_group"],
        user_name=texts["user_name"],
        exp_name=texts["exp_name"],
        workspace=texts["workspace"],
        env={key: _text_of(env, key) for key in env.items},
        module_name=name,
        framework=framework,
        config_preset=module.config.text if module.config else "",
        model_preset=module.model.text if module.model else "",
        params=params,
        warnings=tuple(warnings),
        schema=schema,
        fixed=fixed,
    )


def _split_identity(section: MappingNode) -> tuple[MappingNode, MappingNode]:
    """Return the overrides of identity fields, and all others."""
    ours = {key: node for key, node in section.items.items() if key in IDENTITY_KEYS}
    rest = {key: node for key, node in section.items.items() if key not in IDENTITY_KEYS}
    return MappingNode(ours, section.origin), MappingNode(rest, section.origin)


def _check_fixed_names(root: MappingNode, problems: list[Problem]) -> None:
    check_names(root, TOP_KEYS, "", problems.append)
    modules = root.items["modules"]
    if isinstance(modules, MappingNode):
        check_names(modules, MODULE_OF_STAGE.values(), "modules.", problems.append)
        for name in MODULE_OF_STAGE.values():
            section = modules.items.get(name)
            if isinstance(section, MappingNode):
                check_names(section, MODULE_KEYS, f"modules.{name}.", problems.append)


def _load_presets(
    module: ModuleSection, presets_dir: str, variables: Mapping[str, str]
) -> tuple[MappingNode, MappingNode]:
    framework = module.framework.text
    model = load_preset(module.model, "models", framework, presets_dir, variables) if module.model else None
    preset = load_preset(module.config, "modules", framework, presets_dir, variables) if module.config else None
    return model or empty_mapping(), preset or empty_mapping()


def _fill(params: MappingNode, variables: Mapping[str, str], problems: list[Problem]) -> MappingNode:
    def report(error: ConfigError) -> None:
        key = error.key or ""
        node = params.find(key) if key else None
        origin = node.origin if node is not None else Origin(error.file or "", error.line or 0, 0, "")
        problems.append(Problem.from_error(error, key, origin))

    filled = substitute_tree(params, variables, report)
    for key, node in leaves(filled) if isinstance(filled, MappingNode) else ():
        if isinstance(node, ScalarNode) and node.text == MASK:
            what = "the value was hidden when this file was written"
            problems.append(Problem("structure", key, node.origin, what, hint="write the value, or ${VARIABLE}"))
    return filled if isinstance(filled, MappingNode) else params


def _find_schema(
    framework: str, version: str | Callable[[str], str | None] | None, presets_dir: str
) -> tuple[Schema | None, list[str]]:
    schemas_dir = os.path.join(presets_dir, "schemas")
    known = schema_versions(framework, schemas_dir)
    if not known:
        return None, []
    if callable(version):
        version = version(framework)
    schema = load_schema(framework, version, schemas_dir)
    if schema is None:
        text = f"{framework} {version} has no schema (there are {', '.join(known)}): its keys are not checked"
        return None, [text]
    return schema, []


def _preset_disagreements(model: MappingNode, preset: MappingNode, params: MappingNode) -> list[str]:
    """Say where the module preset overrules the model preset and nothing above overrules both."""
    result = []
    for key, node in leaves(preset):
        other = model.find(key)
        final = params.find(key)
        if other is None or final is None or final.origin != node.origin or to_plain(other) == to_plain(node):
            continue
        result.append(
            f"{key}: the module preset ({node.origin.place}) wins over the model preset ({other.origin.place})"
        )
    return result


def _hook_values_replaced(hooks: MappingNode, user: MappingNode) -> list[str]:
    return [
        f"{key}: the command line ({user_node.origin.file.partition(': ')[2]}) wins over a hook's value"
        for key, _ in leaves(hooks)
        if (user_node := user.find(key)) is not None
    ]


def _misplaced_environment(params: MappingNode) -> list[str]:
    return [
        f"{node.origin.place}: {key} looks like an environment variable; those belong under env: at the top"
        for key, node in params.items.items()
        if looks_like_environment(key)
    ]


def _text_of(section: MappingNode, key: str) -> str:
    node = section.items.get(key)
    return node.text if isinstance(node, ScalarNode) else ""
