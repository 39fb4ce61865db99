"""From an experiment file and a command line to one checked set of parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from primus.core.config.experiment_file import (
    IDENTITY_KEYS,
    MODULE_OF_STAGE,
    check_fixed_names,
    read_env,
    read_identity,
    read_module,
    select_module,
)
from primus.core.config.extends import FileLoader
from primus.core.config.framework_facts import detect_version, explain_renamed
from primus.core.config.layer_notes import hook_values_replaced, misplaced_environment, preset_disagreements
from primus.core.config.layers import read_layers
from primus.core.config.merging import merge
from primus.core.config.namespace import to_namespace
from primus.core.config.nearest import nearest_key, nearest_name
from primus.core.config.nodes import MappingNode, Node, ScalarNode, leaves, to_plain
from primus.core.config.origin import Origin
from primus.core.config.paths import absolute
from primus.core.config.presets import default_configs_dir
from primus.core.config.problems import Problem, raise_problems
from primus.core.config.schema import Schema, load_schema, params_document, schema_versions
from primus.core.config.schema_check import dotted_names, fit, misplaced_parts
from primus.core.config.variables import fill_params
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
        below = Path(self.work_group, self.user_name, self.exp_name)
        return str(absolute(below, absolute(self.workspace)))

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
            best = nearest_key(key, known) or nearest_name(key, known)
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
    backend_path: str | None = None,
    framework_version: str | Callable[[str], str | None] | None = None,
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
        backend_path: What ``--backend_path`` said: the place whose version counts.
        framework_version: Version to check against, or a function from the framework's name to it; what the
            framework's backend detects when omitted.

    Raises:
        ConfigError: The experiment, a preset or an override is wrong.
        BackendNotFoundError: There is no such framework.
    """
    variables = os.environ if environ is None else environ
    own_configs = None if configs_dir is None else Path(configs_dir)
    layers = read_layers(config, stage, overrides, hook_overrides, variables, own_configs)
    framework = layers.module.framework.text
    problems: list[Problem] = []
    check_fixed_names(layers.root, problems.append)
    identity = read_identity(layers.root, layers.path, variables, problems.append)
    env = read_env(layers.root, variables, problems.append)
    params = fill_params(layers.params(), variables, problems.append)
    version = framework_version or (lambda name: detect_version(name, backend_path))
    schema, warnings = _find_schema(framework, version, own_configs or default_configs_dir())
    params, found = fit(params, params_document(schema))
    if schema is None:
        found += dotted_names(params)
    # A value that could not be filled in has no type yet.
    unfilled = {(problem.key, problem.origin.file, problem.origin.line) for problem in problems}
    for problem in found:
        if (problem.key.partition("[")[0], problem.origin.file, problem.origin.line) not in unfilled:
            problems += explain_renamed(problem, schema, params)
    if allow_unknown:
        warnings += [problem.line() for problem in problems if problem.kind == "unknown"]
        problems = [problem for problem in problems if problem.kind != "unknown"]
    raise_problems(problems)

    warnings += preset_disagreements(layers, params)
    warnings += hook_values_replaced(layers)
    if schema is None:
        warnings += [*misplaced_environment(params), *misplaced_parts(params)]
    return Experiment(
        path=layers.path,
        **{key: _text_of(identity, key) for key in IDENTITY_KEYS},
        env={key: _text_of(env, key) for key in env.items},
        module_name=layers.module.name,
        framework=framework,
        config_preset=layers.module.config.text if layers.module.config else "",
        model_preset=layers.module.model.text if layers.module.model else "",
        params=params,
        warnings=tuple(warnings),
        schema=schema,
        fixed=merge(identity, MappingNode({"env": env, "module": layers.section}, layers.root.origin)),
    )


def stages_in(config: str | os.PathLike[str], environ: Mapping[str, str] | None = None) -> list[str]:
    """Return the stages that an experiment file has a module for; ``pretrain`` where it has none.

    Args:
        config: The experiment file.
        environ: Variables for substitution in ``extends:``; the process's own when omitted.

    Raises:
        ConfigError: The file cannot be read.
    """
    root = FileLoader("experiment", os.environ if environ is None else environ).load(absolute(config))
    modules = root.items.get("modules")
    names = modules.items if isinstance(modules, MappingNode) else {}
    return [stage for stage, name in MODULE_OF_STAGE.items() if name in names] or ["pretrain"]


def framework_in(
    config: str | os.PathLike[str], stage: str | None = None, environ: Mapping[str, str] | None = None
) -> str:
    """Return the framework that an experiment file names, whatever else is wrong with the file.

    Args:
        config: The experiment file.
        stage: ``pretrain`` or ``posttrain``; the first that the file has when omitted.
        environ: Variables for substitution; the process's own when omitted.

    Raises:
        ConfigError: The file cannot be read, or names none.
    """
    variables = os.environ if environ is None else environ
    path = str(absolute(config))
    root = FileLoader("experiment", variables).load(path)
    name, section = select_module(root, path, stage or stages_in(path, variables)[0])
    return read_module(name, section, variables).framework.text


def _find_schema(
    framework: str, version: str | Callable[[str], str | None], presets_dir: Path
) -> tuple[Schema | None, list[str]]:
    schemas_dir = presets_dir / "schemas"
    known = schema_versions(framework, schemas_dir)
    if not known:
        return None, []
    number = version if isinstance(version, str) else version(framework)
    schema = load_schema(framework, number, schemas_dir)
    if schema is None:
        text = f"{framework} {number} has no schema (there are {', '.join(known)}): its keys are not checked"
        return None, [text]
    return schema, []


def _text_of(section: MappingNode, key: str) -> str:
    node = section.items.get(key)
    return node.text if isinstance(node, ScalarNode) else ""
