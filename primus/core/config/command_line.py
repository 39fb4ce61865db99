"""``train pretrain --config exp.yaml [options] [overrides]``: Primus's own options, and overrides of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from primus.core.config.nearest import nearest_name
from primus.core.config.overrides import split_overrides, stray_word
from primus.core.config.paths import refuse_same_file
from primus.core.errors import ConfigError

STAGES = ("pretrain", "posttrain")
VALUE_OPTIONS = ("config", "backend_path", "data_path", "export_config")
FLAG_OPTIONS = ("allow_unknown", "debug")
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
        ConfigError: The command, a stage, an option or an override is malformed, ``--config`` is missing, or
            ``--export_config`` would overwrite the experiment.
    """
    if not argv or argv[0] != "train":
        given = f"unknown command {argv[0]!r}" if argv else "no command"
        raise ConfigError(f"command line: {given}", "write: train pretrain --config EXPERIMENT.yaml")
    if len(argv) < 2 or argv[1] not in STAGES:
        given = f"unknown stage {argv[1]!r}" if len(argv) > 1 else "train without a stage"
        raise ConfigError(f"command line: {given}", "write: train pretrain ... or train posttrain ...")
    rest = argv[2:]
    hooks = [f"{name}={value}" for name, value in zip(rest[0:hook_extras:2], rest[1:hook_extras:2], strict=False)]
    words = sort_words(hooks, VALUE_OPTIONS, FLAG_OPTIONS, "hook")
    hook_overrides, words.overrides = words.overrides, []
    sort_words(rest[hook_extras:], VALUE_OPTIONS, FLAG_OPTIONS, into=words)
    if words.positionals:
        stray_word(words.positionals[0])
    if any(override.partition("=")[0] in ("--dry-run", "--dry_run") for override in words.overrides):
        # Taken for an override, it would train in earnest where the backend accepts any key.
        raise ConfigError(
            "command line: --dry-run belongs to the launcher",
            "write it before --: primus-cli direct --dry-run -- train ...",
        )
    config = words.last("config")
    if config is None:
        keys = [override.partition("=")[0].removeprefix("--") for override in words.overrides]
        near = [key for key in keys if nearest_name(key, ["config"], 0.8)]
        given = f", but --{near[0]}" if near else ""
        raise ConfigError(f"command line: no --config{given}", "add --config EXPERIMENT.yaml")
    export_config = words.last("export_config")
    if export_config is not None:
        refuse_same_file("--export_config", export_config, config)
    return TrainCommand(
        stage=argv[1],
        config=config,
        backend_path=words.last("backend_path"),
        data_path=words.last("data_path"),
        export_config=export_config,
        allow_unknown=words.flags.get("allow_unknown", False),
        debug=words.flags.get("debug", False),
        hook_overrides=hook_overrides,
        overrides=words.overrides,
    )


@dataclass
class SortedWords:
    """A command line taken apart.

    Attributes:
        options: Values of options that take one, in their order, by name with underscores.
        flags: Options without a value.
        overrides: Overrides, each ``key=value`` or ``--key=value``.
        positionals: Words that are neither.
    """

    options: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    overrides: list[str] = field(default_factory=list)
    positionals: list[str] = field(default_factory=list)

    def last(self, name: str) -> str | None:
        """Return the last value of an option, or None.

        Args:
            name: Its name, with underscores.
        """
        values = self.options.get(name)
        return values[-1] if values else None


def sort_words(
    words: Sequence[str],
    value_options: Sequence[str],
    flag_options: Sequence[str],
    layer: str = "command line",
    into: SortedWords | None = None,
) -> SortedWords:
    """Tell options, overrides and other words apart; after ``--`` there are overrides alone.

    Args:
        words: Words of a command line.
        value_options: Options that take a value, with underscores; hyphens mean the same.
        flag_options: Options that take none.
        layer: Who gave the words, for messages.
        into: What to add to.

    Raises:
        ConfigError: An option has no value or one it does not take, or an override is malformed.
    """
    result = SortedWords() if into is None else into
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        following = words[position] if position < len(words) else None
        if word == "--":
            result.overrides += split_overrides(words[position:], layer)
            return result
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_") if word.startswith("--") else ""
        if name in value_options:
            if not equals:
                if following is None or following.startswith("--"):
                    raise ConfigError(f"{layer}: {word} has no value", f"write {word} VALUE")
                value = following
                position += 1
            if not value:
                raise ConfigError(f"{layer}: --{name} is empty", f"write --{name} VALUE, or leave it out")
            result.options.setdefault(name, []).append(value)
        elif name in flag_options:
            if equals and value.lower() not in _FLAG_VALUES:
                raise ConfigError(f"{layer}: --{name} got {value!r}", f"write --{name} alone, or =true, =false")
            result.flags[name] = _FLAG_VALUES[value.lower()] if equals else True
        elif word.startswith("--") and not equals and following is not None and not following.startswith("--"):
            result.overrides += split_overrides([word, following], layer)
            position += 1
        elif word.startswith("--") or ("=" in word and not word.startswith("-")):
            result.overrides += split_overrides([word], layer)
        else:
            result.positionals.append(word)
    return result
