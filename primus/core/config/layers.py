"""The layers of an experiment, and which of them wins."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from primus.core.config.experiment_file import IDENTITY_KEYS, ModuleSection, read_module, select_module
from primus.core.config.extends import FileLoader
from primus.core.config.framework_facts import require_framework
from primus.core.config.merging import merge
from primus.core.config.nodes import MappingNode, empty_mapping
from primus.core.config.overrides import build_overrides, check_list_paths
from primus.core.config.paths import absolute
from primus.core.config.presets import default_configs_dir, load_preset


@dataclass(frozen=True)
class Layers:
    """What an experiment is made of, before variables are filled in.

    Attributes:
        path: The experiment file, absolute.
        root: Its section, with the overrides of identity fields.
        section: ``modules.<name>`` as written.
        module: The same, read.
        model: The model preset.
        preset: The module preset.
        hooks: Overrides from hooks, those of identity fields among them.
        user: The user's overrides, likewise.
    """

    path: str
    root: MappingNode
    section: MappingNode
    module: ModuleSection
    model: MappingNode
    preset: MappingNode
    hooks: MappingNode
    user: MappingNode

    def params(self) -> MappingNode:
        """Return the parameters: the one place that decides which layer wins.

        Raises:
            ConfigError: An override reaches into a list.
        """
        written = merge(merge(self.model, self.preset), self.module.overrides)
        hooks, user = _split_identity(self.hooks)[1], _split_identity(self.user)[1]
        check_list_paths([hooks, user], written)
        return merge(merge(written, hooks), user)


def read_layers(
    config: str | os.PathLike[str],
    stage: str,
    overrides: Sequence[str],
    hook_overrides: Sequence[str],
    environ: Mapping[str, str],
    configs_dir: Path | None,
) -> Layers:
    """Read an experiment file with all that it names.

    Args:
        config: The experiment file.
        stage: ``pretrain`` or ``posttrain``.
        overrides: The user's overrides.
        hook_overrides: Overrides from hooks.
        environ: Variables for names of files and of the framework.
        configs_dir: Folder of the presets; Primus's own when None, and then the framework must be known.

    Raises:
        ConfigError: A file is missing or malformed, or an override is.
        BackendNotFoundError: There is no such framework.
    """
    path = str(absolute(config))
    root = FileLoader("experiment", environ).load(path)
    user, hooks = build_overrides(overrides, "command line"), build_overrides(hook_overrides, "hook")
    root = merge(merge(root, _split_identity(hooks)[0]), _split_identity(user)[0])
    name, section = select_module(root, path, stage)
    module = read_module(name, section, environ)
    if configs_dir is None:
        require_framework(module.framework)
    shelf, framework = configs_dir or default_configs_dir(), module.framework.text
    model = load_preset(module.model, "models", framework, shelf, environ) if module.model else empty_mapping()
    preset = load_preset(module.config, "modules", framework, shelf, environ) if module.config else empty_mapping()
    return Layers(path, root, section, module, model, preset, hooks, user)


def _split_identity(section: MappingNode) -> tuple[MappingNode, MappingNode]:
    """Return the overrides of identity fields, and all others."""
    ours = {key: node for key, node in section.items.items() if key in IDENTITY_KEYS}
    rest = {key: node for key, node in section.items.items() if key not in IDENTITY_KEYS}
    return MappingNode(ours, section.origin), MappingNode(rest, section.origin)
