"""What shell completion cannot know without Python: keys, their values, backends, options of Python commands.

``python -m primus.tools.completion ASK WORD... CURRENT`` writes NUL-terminated records to standard output, a letter
and a text each: ``w`` a word that is complete, ``p`` one that goes on, both with a description after a tab; ``f`` the
kind of files that belong here, with what stands before them in the same word after a tab. ASK is ``train STAGE``,
``tool NAME`` or ``frameworks``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_OPTION = re.compile(r"^ {2}(--[a-z][a-z_-]*)(?: ([A-Z][^ ]*|[a-z]+(?:\|[a-z]+)+))?(?: {2,}(.*))?$", re.MULTILINE)
_COMMAND = re.compile(r"^ {2,4}([a-z][a-z-]*) {2,}(\S.*)$", re.MULTILINE)
# Values of an option that is named so, whatever its command calls them; the rest goes by the placeholder.
_FILES_BY_OPTION = {"config": "experiment", "backend_path": "folder", "data_path": "folder"}
_FILES_BY_PLACEHOLDER = {"FILE": "any", "DIR": "folder"}


class Option(NamedTuple):
    """An option as a help text describes it.

    Attributes:
        name: With its hyphens.
        placeholder: What the help calls its value; empty for a flag.
        about: What it does.
    """

    name: str
    placeholder: str
    about: str


class Line:
    """A command line up to the word that is completed.

    Args:
        words: The words before that one.
        current: What stands there of that one.
        options: The options that the command has.
        stage: ``pretrain`` or ``posttrain`` where the command says so.
    """

    def __init__(self, words: Sequence[str], current: str, options: Sequence[Option], stage: str = "") -> None:
        self.current = current
        self.options = {_plain(option.name): option for option in options}
        self.given: dict[str, str] = {}
        self.positionals: list[str] = []
        self.awaits = ""
        """Option or key whose value is next; empty when none is."""
        for word in words:
            self._take(word)
        self.stage = stage or self.given.get("stage", "")

    def _take(self, word: str) -> None:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--"):
            if self.awaits:
                self.given[_plain(self.awaits)] = word
            elif not equals:
                self.positionals.append(word)
            self.awaits = ""
        else:
            option = self.options.get(_plain(name))
            takes_value = option is None or bool(option.placeholder)
            self.awaits = name if takes_value and not equals else ""
            if equals:
                self.given[_plain(name)] = value

    @property
    def config(self) -> str:
        """Return the experiment that the line names, with --config or as a file; empty without one."""
        return self.given.get("config") or next(
            (word for word in self.positionals if word.endswith((".yaml", ".yml"))), ""
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Write what may stand at the end of a line and return the exit status.

    Args:
        argv: Arguments without the program's name; those of the process when omitted.
    """
    ask, *words = sys.argv[1:] if argv is None else argv
    data = "".join(f"{record}\0" for record in _answer(ask, words))
    sys.stdout.buffer.write(data.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    return 0


def _answer(ask: str, words: list[str]) -> Iterable[str]:
    if ask == "frameworks":
        return map(_word, _frameworks())
    if ask == "train":
        from primus.run import USAGE

        line = Line(words[1:-1], words[-1], options_in(USAGE), words[0])
        values = _value_of_option(line)
        return _options_and_keys(line) if values is None else values
    return _tool(words[0], words[1:-1], words[-1])


def _frameworks() -> list[str]:
    from primus.core.backend.backend_registry import BackendRegistry

    return BackendRegistry.list_backends()


def options_in(text: str) -> list[Option]:
    """Return the options that a help text describes, each in a line of its own.

    Args:
        text: What ``--help`` prints.
    """
    return [Option(match[1], match[2] or "", match[3] or "") for match in _OPTION.finditer(text)]


def commands_in(text: str) -> list[tuple[str, str]]:
    """Return the commands that a help text lists, with what they do.

    Args:
        text: What ``--help`` prints.
    """
    return [(match[1], match[2]) for match in _COMMAND.finditer(text)]


def help_text(tool: str, words: Sequence[str]) -> str:
    """Return what a command that is written in Python prints for ``--help``.

    Args:
        tool: Its name, that of a module in ``primus.tools``.
        words: Its words before ``--help``.
    """
    module = importlib.import_module(f"primus.tools.{tool}")
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        module.main([*words, "--help"])
    return text.getvalue()


def _tool(tool: str, words: list[str], current: str) -> Iterable[str]:
    if not words:
        commands = [_word(name, about) for name, about in commands_in(help_text(tool, []))]
        return _starting(current, [*commands, _word("--help")])
    text = help_text(tool, words[:1])
    usage = text.partition("\n")[0]
    line = Line(words[1:], current, [*options_in(text), Option("--help", "", "")])
    values = _value_of_option(line)
    if values is not None:
        return values
    if not current.startswith("-") and "=" not in current:
        places = re.sub(r"--[a-z-]+ \S+", "", usage)
        if " KEY" in places and not [word for word in line.positionals if word != line.config]:
            return _keys(line)
        if " FILE" in places:
            return ["fexperiment\t"]
    return _options_and_keys(line, keys="[OVERRIDES]" in usage)


def _value_of_option(line: Line) -> list[str] | None:
    """Return the values that fit in ``--name CURRENT`` or ``--name=CURRENT``; None where neither stands there."""
    name, equals, _ = line.current.removeprefix("--").partition("=")
    if line.awaits and not line.current.startswith("--"):
        name, head = line.awaits, ""
    elif line.current.startswith("--") and equals:
        head = f"--{name}="
    else:
        return None
    option = line.options.get(_plain(name))
    return _starting(line.current, _option_values(option, line) if option else _key_values(line, name), head)


def _option_values(option: Option, line: Line) -> Iterator[str]:
    name = _plain(option.name)
    if name == "framework":
        yield from map(_word, _frameworks())
    elif name in ("model", "preset"):
        yield from map(_word, _presets(line.given.get("framework", ""), "models" if name == "model" else "modules"))
    elif name == "only":
        yield from _keys(line, whole=True)
    elif name in _FILES_BY_OPTION:
        yield f"f{_FILES_BY_OPTION[name]}\t"
    elif "|" in option.placeholder:
        yield from map(_word, option.placeholder.split("|"))
    elif option.placeholder in _FILES_BY_PLACEHOLDER:
        yield f"f{_FILES_BY_PLACEHOLDER[option.placeholder]}\t"


def _presets(framework: str, kind: str) -> list[str]:
    from primus.core.config.presets import default_configs_dir, list_presets

    # A name from the command line must not lead out of the folder.
    return list_presets(default_configs_dir() / kind / framework) if framework.isidentifier() else []


def _options_and_keys(line: Line, *, keys: bool = True) -> list[str]:
    """Return options and keys, in the form that has been begun."""
    name, equals, _ = line.current.partition("=")
    if equals:
        return _starting(line.current, _key_values(line, name), f"{name}=")
    dashed = line.current.startswith("-")
    found: list[str] = []
    if dashed or not line.config:
        found = _starting(line.current, [_word(option.name, option.about) for option in line.options.values()])
    if keys and line.current != "-":
        found += _keys(line, "--" if dashed else "", "" if dashed else "=")
    return found


def _keys(line: Line, before: str = "", after: str = "", *, whole: bool = False) -> list[str]:
    """Return the keys of the line's experiment; without one nobody knows them."""
    if not line.config:
        return []
    from primus.tools.completion_keys import key_records, known_keys

    known = known_keys(line.config, line.stage)
    return [_word(key) for key in known] if whole else [*key_records(line.current[len(before) :], known, before, after)]


def _key_values(line: Line, key: str) -> Iterator[str]:
    if line.config:
        from primus.tools.completion_keys import known_keys, value_records

        yield from value_records(key, known_keys(line.config, line.stage).get(key, {}))


def _word(text: str, about: str = "") -> str:
    return f"w{text}\t{about}"


def _starting(current: str, records: Iterable[str], head: str = "") -> list[str]:
    """Return the records that continue what stands there, with what comes before an equals sign put in front."""
    whole = [f"{record}{head}" if record[0] == "f" else f"{record[0]}{head}{record[1:]}" for record in records]
    return [record for record in whole if record[0] == "f" or record[1:].startswith(current)]


def _plain(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


if __name__ == "__main__":
    sys.exit(main())
