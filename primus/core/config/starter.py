"""A first experiment file to change: commented, and right as it stands."""

from __future__ import annotations

from pathlib import Path

from primus.core.config.nearest import nearest_name
from primus.core.config.paths import shown_path
from primus.core.config.presets import list_presets
from primus.core.config.schema import Schema, describe_keys
from primus.core.config.schema_check import describe_type
from primus.core.config.yaml_writer import flow_text, scalar_text
from primus.core.errors import ConfigError

# Keys that most people change first, in any framework that has them.
_FIRST_KEYS = (
    "training.steps",
    "training.local_batch_size",
    "training.seq_len",
    "optimizer.lr",
    "checkpoint.enable",
    "checkpoint.interval",
)


def starter(framework: str, model: str, config: str | None, configs_dir: Path, schema: Schema | None) -> str:
    """Return the text of a new experiment file.

    Args:
        framework: The framework's name.
        model: Name of a model preset, with or without its ending.
        config: Name of a module preset; the pre-training one when omitted.
        configs_dir: Folder with ``modules/`` and ``models/``.
        schema: The framework's parameters, for the comments.

    Raises:
        ConfigError: There is no such preset.
    """
    model_name = _preset(model, "model", configs_dir / "models" / framework)
    folder = configs_dir / "modules" / framework
    config_name = _preset(config, "module", folder) if config else _first(list_presets(folder))
    module = "post_trainer" if config_name and config_name.startswith("post") else "pre_trainer"
    stem = Path(model_name).stem
    lines = [
        f"# {framework}, {stem}. Checked by: primus-cli config check THIS_FILE",
        "# Every value and where it comes from: primus-cli config show --config THIS_FILE",
        "",
        "# Runs leave their records in workspace/work_group/user_name/exp_name/RUN.",
        "work_group: ${PRIMUS_TEAM:local}",
        "user_name: ${PRIMUS_USER:local}",
        f"exp_name: ${{PRIMUS_EXP_NAME:{stem}}}",
        "workspace: ${PRIMUS_WORKSPACE:./output}",
        "",
        "# Environment variables for the training processes.",
        "# env:",
        "#   NCCL_DEBUG: INFO",
        "",
        "modules:",
        f"  {module}:",
        f"    framework: {scalar_text(framework)}",
    ]
    if config_name:
        lines.append(f"    config: {scalar_text(config_name)}")
    lines += [
        f"    model: {scalar_text(model_name)}",
        "",
        "    # Values here win over both presets; --key value on the command line wins over these.",
        "    overrides:",
        "      stderr_sink_level: INFO",
        *_commented_keys(schema),
    ]
    return "\n".join(lines) + "\n"


def _commented_keys(schema: Schema | None) -> list[str]:
    if schema is None:
        return []
    known = dict(describe_keys(schema.document))
    lines: list[str] = []
    section = ""
    for key in _FIRST_KEYS:
        if key not in known:
            continue
        above, _, name = key.rpartition(".")
        if above != section:
            lines.append(f"      # {above}:")
            section = above
        default = flow_text(known[key].get("default"))
        lines.append(f"      #   {name}: {default}  # {describe_type(known[key])}")
    return lines


def _first(names: list[str]) -> str | None:
    return next((name for name in names if name.startswith("pre")), names[0] if names else None)


def _preset(name: str, kind: str, folder: Path) -> str:
    names = list_presets(folder) if folder.is_dir() else []
    for candidate in (name, f"{name}.yaml"):
        if candidate in names:
            return candidate
    best = nearest_name(name if name.endswith(".yaml") else f"{name}.yaml", names)
    near = f"did you mean {best}? " if best else ""
    raise ConfigError(
        f"{kind} preset {name} not found in {shown_path(folder)}",
        f"{near}there are: {', '.join(names)}" if names else "there are none in that folder",
    )
