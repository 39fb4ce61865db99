"""Read the launcher's configuration, and then, in the same process, check the experiment.

``python -m primus.launcher_config COMMAND_FILE YAML_FILE...`` merges the files, later ones winning, and writes four
NUL-terminated fields for each setting to standard output: ``option`` or ``env``, name, value and place. A kind of
``end`` follows. Which options a command has stands in the header comment of its file. After that it reads, from
standard input, a NUL-separated list: a number, as many ``NAME=value`` for the environment, and the arguments of
``primus.plan``, which it then runs; with nothing to read it ends. So a launch starts one Python, with or without
such files.

    env: {NCCL_DEBUG: INFO}       # exported, unless it is set already
    hooks_path: [/site/hooks]     # as PRIMUS_HOOKS_PATH; relative to the file
    direct: {nproc: 8}            # for each command its options
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from primus.core.errors import EXIT_ENVIRONMENT, ConfigError, PrimusError

try:
    from primus.core.config.nearest import nearest_name
    from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode
    from primus.core.config.yaml_reader import read_yaml
except ModuleNotFoundError as error:
    if __name__ != "__main__" or error.name not in ("yaml", "packaging"):
        raise
    sys.stderr.write(f"[primus] ERROR {sys.executable} has no module {error.name!r}\n")
    sys.stderr.write(f"[primus] primus-cli needs it: {shlex.quote(sys.executable)} -m pip install pyyaml packaging\n")
    raise SystemExit(EXIT_ENVIRONMENT) from None

_OPTION = re.compile(r"#   --(?P<name>[a-z][a-z-]*)(?: (?P<value>[A-Z][^ ]*))?(?: |$)")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A command with this option takes every other key of its section for a flag of the program behind it.
_FOREIGN = "slurm-option"
# An option of the launch itself, which makes no sense as a default.
_NEVER = ("config", "help", "dry-run", "json")


@dataclass(frozen=True)
class Setting:
    """One setting for the launcher.

    Attributes:
        kind: ``option`` or ``env``.
        name: ``--name`` of an option, or the name of a variable.
        value: Its text; ``1`` for a flag.
        place: ``file:line``.
    """

    kind: str
    name: str
    value: str
    place: str


def main(argv: Sequence[str] | None = None) -> int:
    """Write the settings, then run the check that is asked for.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    command, *files = sys.argv[1:] if argv is None else argv
    try:
        settings = read_settings(Path(command), files)
    except PrimusError as error:
        sys.stderr.write(f"[primus] ERROR {error.message}\n" + (f"[primus] {error.hint}\n" if error.hint else ""))
        return error.exit_status
    fields = [field for setting in settings for field in (setting.kind, setting.name, setting.value, setting.place)]
    data = "".join(f"{field}\0" for field in [*fields, "end", "", "", ""])
    sys.stdout.buffer.write(data.encode(errors="surrogateescape"))
    sys.stdout.flush()
    words = sys.stdin.buffer.read().split(b"\0")[:-1]
    if not words:
        return 0
    count = int(words[0])
    for entry in words[1 : count + 1]:
        name, _, value = entry.partition(b"=")
        os.environb[name] = value
    from primus.plan import main as plan

    return plan([os.fsdecode(word) for word in words[count + 1 :]])


def read_settings(command: Path, files: Iterable[str]) -> list[Setting]:
    """Return the settings that the files make for a command.

    Args:
        command: The command's file, ``runner/commands/<name>``.
        files: YAML files, lowest layer first.

    Raises:
        ConfigError: One of them says something that is not known, or cannot be read.
    """
    commands = sorted(file.name for file in command.parent.iterdir() if file.is_file() and "." not in file.name)
    environment: dict[str, Setting] = {}
    options: dict[str, list[Setting]] = {}
    for file in files:
        root = read_yaml(file, "launcher configuration")
        if root is None:
            continue
        for name, node in _mapping(root, "a launcher configuration").items():
            if name == "env":
                environment.update({setting.name: setting for setting in _environment(node)})
            elif name == "hooks_path":
                environment["PRIMUS_HOOKS_PATH"] = _hooks_path(node)
            elif name in commands:
                for option, settings in _options(node, command.parent / name).items():
                    if name == command.name:
                        options[option] = settings
            else:
                raise _unknown(node, name, ["env", "hooks_path", *commands], "section")
    return [*environment.values(), *(setting for settings in options.values() for setting in settings)]


def declared_options(command: Path) -> dict[str, str]:
    """Return the options in a command's header comment: name to ``flag``, ``value`` or ``list``.

    Args:
        command: The command's file.
    """
    kinds: dict[str, str] = {}
    for line in command.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("#"):
            break
        match = _OPTION.match(line)
        if match:
            value = match["value"]
            kinds[match["name"]] = "flag" if not value else "list" if value.endswith("...") else "value"
    return kinds


def _environment(node: Node) -> Iterable[Setting]:
    for name, value in _mapping(node, "env").items():
        if not _IDENTIFIER.fullmatch(name):
            raise _error(value, f"{name!r} is no name of a variable", "names are letters, digits and _")
        yield Setting("env", name, _text(value, f"env.{name}"), value.origin.place)


def _hooks_path(node: Node) -> Setting:
    folder = os.path.dirname(node.origin.file)
    items = node.items if isinstance(node, SequenceNode) else (node,)
    paths = [os.path.join(folder, os.path.expanduser(_text(item, "hooks_path"))) for item in items]
    for path in paths:
        if ":" in path:
            raise _error(node, f"hooks_path holds {path!r}, with a colon", "colons separate folders: take another name")
    return Setting("env", "PRIMUS_HOOKS_PATH", ":".join(paths), node.origin.place)


def _options(node: Node, command: Path) -> dict[str, list[Setting]]:
    kinds = {name: kind for name, kind in declared_options(command).items() if name not in _NEVER}
    result: dict[str, list[Setting]] = {}
    for key, value in _mapping(node, command.name).items():
        name = key.replace("_", "-")
        if name not in kinds and _FOREIGN in kinds:
            result[f"{_FOREIGN} {name}"] = list(_foreign(name, value, f"{command.name}.{key}"))
            continue
        if name not in kinds:
            raise _unknown(value, key, kinds, f"option of {command.name}")
        result[name.removeprefix("no-")] = list(_option(name, kinds, value, f"{command.name}.{key}"))
    return result


def _foreign(name: str, node: Node, key: str) -> Iterable[Setting]:
    """Yield a flag of the program behind the command: ``exclusive: true``, ``partition: gpu``, ``requeue: false``."""
    place = node.origin.place
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        if node.value or name == "requeue":
            yield Setting("option", f"--{_FOREIGN}", name if node.value else f"no-{name}", place)
        return
    yield Setting("option", f"--{_FOREIGN}", f"{name}={_text(node, key)}", place)


def _option(name: str, kinds: dict[str, str], node: Node, key: str) -> Iterable[Setting]:
    place = node.origin.place
    if kinds[name] == "flag":
        if not isinstance(node, ScalarNode) or not isinstance(node.value, bool):
            raise _error(node, f"{key} is neither true nor false", "it is a flag")
        opposite = name.removeprefix("no-") if name.startswith("no-") else f"no-{name}"
        if node.value:
            yield Setting("option", f"--{name}", "1", place)
        elif opposite in kinds:
            yield Setting("option", f"--{opposite}", "1", place)
    elif kinds[name] == "list":
        items = node.items if isinstance(node, SequenceNode) else (node,)
        for item in items:
            yield Setting("option", f"--{name}", _text(item, key), item.origin.place)
    else:
        yield Setting("option", f"--{name}", _text(node, key), place)


def _mapping(node: Node, what: str) -> dict[str, Node]:
    if isinstance(node, ScalarNode) and node.value is None:
        return {}
    if not isinstance(node, MappingNode):
        raise _error(node, f"{what} is no mapping", "write it as key: value")
    return node.items


def _text(node: Node, key: str) -> str:
    if not isinstance(node, ScalarNode) or node.value is None:
        raise _error(node, f"{key} holds no single value", "write a text or a number")
    if "\0" in node.text:
        raise _error(node, f"{key} holds a NUL character", "no variable or argument can")
    return node.text


def _unknown(node: Node, name: str, known: Iterable[str], what: str) -> ConfigError:
    names = list(known)
    nearest = nearest_name(name, names)
    hint = f"did you mean {nearest}?" if nearest else f"known: {', '.join(names)}"
    return _error(node, f"unknown {what} {name!r}", hint)


def _error(node: Node, message: str, hint: str) -> ConfigError:
    return ConfigError(f"{node.origin.place}: {message}", hint, node.origin.file, node.origin.line)


if __name__ == "__main__":
    sys.exit(main())
