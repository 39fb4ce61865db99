"""PyYAML's event parsers behind one door: libyaml where it is present, with the same results.

The two parsers agree on valid files. Where libyaml objects, a file of ordinary size is read again by the parser
in Python, which decides, so that a machine without libyaml gives the same answer.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import Any

import yaml

from primus.core.config.origin import shown_path
from primus.core.config.yaml_text import check_characters
from primus.core.errors import ConfigError

try:
    from yaml.cyaml import CParser
except ImportError:
    CParser = None

# The parser in Python reads about 100 kB a second; this keeps a second opinion below half a second.
_SECOND_OPINION_LIMIT = 32 * 1024


class _PythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    """PyYAML's own parser, without the composer that would lose marks."""

    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


def parse_events(text: str, file: str, use_c: bool | None = None) -> list[Any]:
    """Return the YAML events of a text.

    Args:
        text: The whole text.
        file: Where it comes from, for messages.
        use_c: Take libyaml or do not; where omitted, if it is present.

    Raises:
        ConfigError: The text is not valid YAML, or a tab stands where it has no fixed meaning.
    """
    check_characters(text, file)
    native = CParser is not None if use_c is None else use_c
    try:
        events = list(_bounded(CParser(text) if native else _PythonParser(text), file))
    except yaml.YAMLError as error:
        if not native or len(text) > _SECOND_OPINION_LIMIT:
            raise _as_config_error(error, text, file) from None
        return parse_events(text, file, use_c=False)
    if "\t" in text:
        _check_tabs(text, file, events)
    return events


def _bounded(parser: Any, file: str) -> Iterator[Any]:
    depth = 0
    nodes = 0
    while parser.check_event():
        event = parser.get_event()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _limit(file, event, f"more than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        nodes += 1
        if nodes > MAX_EVENTS:
            raise _limit(file, event, f"more than {MAX_EVENTS} values")
        yield event


MAX_DEPTH = 100
MAX_EVENTS = 100_000


def _limit(file: str, event: Any, what: str) -> ConfigError:
    line = event.start_mark.line + 1
    return ConfigError(f"{shown_path(file)}:{line}: {what}", "split the file or flatten it", file, line)


def _check_tabs(text: str, file: str, events: list[Any]) -> None:
    """Refuse tabs outside of quoted texts, blocks and comments: there the two parsers disagree."""
    spans = [
        (event.start_mark.index, event.end_mark.index, event.style)
        for event in events
        if isinstance(event, yaml.ScalarEvent) and event.style
    ]
    starts = [start for start, _, _ in spans]
    for match in re.finditer("\t", text):
        position = match.start()
        number = bisect.bisect_right(starts, position) - 1
        line_start = text.rfind("\n", 0, position) + 1
        begin = line_start
        if number >= 0:
            start, end, style = spans[number]
            if position < end and not (style in "|>" and "\n" not in text[start:position]):
                continue
            if end <= position:
                begin = max(begin, end)
        if _COMMENT.search(text[begin:position]) or text[begin:position].startswith("#"):
            continue
        line = text.count("\n", 0, position) + 1
        raise _tab_error(file, line, position - line_start + 1)


_COMMENT = re.compile(r"(?:^|[ \t])#")


def _tab_error(file: str, line: int, column: int) -> ConfigError:
    return ConfigError(
        f"{shown_path(file)}:{line}: a tab in column {column}, where YAML wants spaces",
        "replace it with spaces, or quote the value that holds it",
        file,
        line,
    )


# Parts of PyYAML's and libyaml's messages, and what to tell a user instead.
_EXPLANATIONS = (
    ("mapping values are not allowed", "': ' stands where no key can", "quote the value that holds it, or mend the indentation"),
    ("could not find expected ':'", "a line is neither 'key: value' nor '- item'", "mend the line, or the quotes before it"),
    ("unexpected end of stream", "a quote is not closed", "close it"),
    ("unexpected document separator", "a quote is not closed", "close it"),
    ("expected <block end>", "the indentation does not fit the lines above", "line up the keys of one section"),
    ("expected ',' or ']'", "a list in brackets is not closed", "write ',' or ']'"),
    ("expected ',' or '}'", "a section in braces is not closed", "write ',' or '}'"),
    ("escape", "unknown escape in double quotes", "double the backslash, or use single quotes"),
)


def _as_config_error(error: yaml.YAMLError, text: str, file: str) -> ConfigError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 1
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    if "cannot start any token" in problem and mark is not None:
        character = text[mark.index : mark.index + 1]
        if character == "\t":
            return _tab_error(file, line, mark.column + 1)
        what, hint = f"a value cannot start with {character!r}", "quote the value"
    else:
        for part, words, advice in _EXPLANATIONS:
            if part in problem:
                what, hint = words, advice
                break
        else:
            what, hint = f"not valid YAML: {problem}", "mend the line"
    return ConfigError(f"{shown_path(file)}:{line}: {what}", hint, file, line)
