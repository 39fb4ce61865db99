"""``train pretrain --config exp.yaml [options] [overrides]``: what belongs to Primus and what overrides a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from primus.core.config.nearest import nearest_name
from primus.core.config.overrides import split_overrides
from primus.core.errors import ConfigError

STAGES = ("pretrain", "posttrain")
_VALUE_OPTIONS = ("config", "backend_path", "data_path", "export_config")
_FLAG_OPTIONS = ("allow_unknown", "debug")
_FLAG_VALUES = {"true": True, "false": False}


@dataclass(frozen=True)
class TrainCommand:
    """A parsed ``train`` command.

    Attributes:
        stage: ``pretrain`` or ``posttrain``.
        config: The experiment file, as given.
        backend_path: Folder to take the framework from, or None.
        data_path: Folder for prepared data, or None.
        export_config: Where to write the resolved experiment, or None.
        allow_unknown: Warn about unknown keys instead of refusing them.
        debug: Log at level DEBUG.
        hook_overrides: Overrides that hooks gave, each ``--key=value``.
        overrides: The user's own overrides, each ``key=value`` or ``--key=value``.
    """

    stage: str
    config: str
    backend_path: str | None
    data_path: str | None
    export_config: str | None
    allow_unknown: bool
    debug: bool
    hook_overrides: list[str]
    overrides: list[str]


def parse_train_command(argv: Sequence[str], hook_extras: int = 0) -> TrainCommand:
    """Split a ``train`` command into options and overrides.

    Args:
        argv: Words from ``train`` on.
        hook_extras: How many words right after ``train <stage>`` came from hooks, as ``--name value`` pairs.

    Raises:
        ConfigError: The command, a stage, an option or an override is malformed, or ``--config`` is missing.
    """
    if not argv or argv[0] != "train":
        given = f"unknown command {argv[0]!r}" if argv else "no command"
        raise ConfigError(f"command line: {given}", "write: train pretrain --config EXPERIMENT.yaml")
    if len(argv) < 2 or argv[1] not in STAGES:
        given = f"unknown stage {argv[1]!r}" if len(argv) > 1 else "train without a stage"
        raise ConfigError(f"command line: {given}", "write: train pretrain ... or train posttrain ...")
    options: dict[str, str] = {}
    flags: dict[str, bool] = {}
    rest = argv[2:]
    hooks = [f"{name}={value}" for name, value in zip(rest[0:hook_extras:2], rest[1:hook_extras:2])]
    hook_overrides = _take_options(hooks, options, flags, "hook")
    overrides = _take_options(rest[hook_extras:], options, flags, "command line")
    if not options.get("config"):
        near = [name for name in _keys(overrides) if nearest_name(name, ["config"], 0.8)]
        given = f", but --{near[0]}" if near else ""
        raise ConfigError(f"command line: no --config{given}", "add --config EXPERIMENT.yaml")
    return TrainCommand(
        stage=argv[1],
        config=options["config"],
        backend_path=options.get("backend_path"),
        data_path=options.get("data_path"),
        export_config=options.get("export_config"),
        allow_unknown=flags.get("allow_unknown", False),
        debug=flags.get("debug", False),
        hook_overrides=hook_overrides,
        overrides=overrides,
    )


def _take_options(
    words: Sequence[str], options: dict[str, str], flags: dict[str, bool], layer: str
) -> list[str]:
    """Move Primus's options into the two dicts and return the overrides between them."""
    overrides: list[str] = []
    pending: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "--":
            return [*overrides, *split_overrides(pending, layer), *split_overrides(words[position:], layer)]
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_") if word.startswith("--") else ""
        if name in _VALUE_OPTIONS:
            if not equals:
                if position == len(words) or words[position].startswith("--"):
                    raise ConfigError(f"{layer}: {word} has no value", f"write {word} VALUE")
                value = words[position]
                position += 1
            if not value:
                raise ConfigError(f"{layer}: --{name} is empty", f"write --{name} VALUE, or leave it out")
            options[name] = value
        elif name in _FLAG_OPTIONS:
            if equals and value.lower() not in _FLAG_VALUES:
                raise ConfigError(f"{layer}: {word.partition('=')[0]} got {value!r}", "write true or false, or nothing")
            flags[name] = _FLAG_VALUES[value.lower()] if equals else True
        else:
            pending.append(word)
            # A value is the word's own, even where it looks like an option without dashes.
            if word.startswith("--") and not equals and position < len(words) and not words[position].startswith("--"):
                pending.append(words[position])
                position += 1
            continue
        overrides += split_overrides(pending, layer)
        pending = []
    return [*overrides, *split_overrides(pending, layer)]


def _keys(overrides: Sequence[str]) -> list[str]:
    return [override.partition("=")[0].removeprefix("--") for override in overrides]
