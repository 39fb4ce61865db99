"""PyYAML's event parsers behind one door: libyaml where it is present, with the same results.

The two parsers agree on valid files. Where libyaml objects, a file of ordinary size is read again by the parser
in Python, which decides, so that a machine without libyaml gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from primus.core.config.paths import shown_path
from primus.core.config.yaml_text import check_characters
from primus.core.errors import ConfigError

# What yaml.cyaml builds its loaders on; absent where PyYAML was built without libyaml.
_CParser: Any = getattr(getattr(yaml, "_yaml", None), "CParser", None)

# The parser in Python reads about 100 kB a second; this keeps a second opinion below half a second.
_SECOND_OPINION_LIMIT = 32 * 1024

MAX_DEPTH = 100
MAX_EVENTS = 100_000


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
    native = _CParser is not None if use_c is None else use_c
    try:
        seen, original = _without_old_breaks(text)
        events = list(_bounded(_CParser(seen) if native else _PythonParser(seen), file))
    except yaml.YAMLError as error:
        if not native or len(text) > _SECOND_OPINION_LIMIT:
            raise _as_config_error(error, text, file) from None
        return parse_events(text, file, use_c=False)
    if native and len(text) <= _SECOND_OPINION_LIMIT and _parsers_may_differ(text, events):
        return parse_events(text, file, use_c=False)
    if "\t" in text:
        _check_tabs(text, file, events)
    if original:
        for event in events:
            _restore(event, original)
    return events


# Line ends to YAML 1.1 and to both parsers; ordinary characters to YAML 1.2 and to editors.
_OLD_BREAKS = "\x85\u2028\u2029"


def _without_old_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Return a text of the same length without line ends of YAML 1.1, and a table that brings them back."""
    old = [character for character in _OLD_BREAKS if character in text]
    if not old:
        return text, {}
    written = text.lower()
    # A character that stands nowhere in the text, neither itself nor as an escape.
    free = (code for code in range(0xE000, 0xF900) if chr(code) not in text and f"{code:x}" not in written)
    codes = {character: next(free, 0xFFFD) for character in old}
    seen = text.translate({ord(character): code for character, code in codes.items()})
    return seen, {code: character for character, code in codes.items()}


def _restore(event: Any, original: dict[int, str]) -> None:
    for name in ("value", "anchor", "tag"):
        text = getattr(event, name, None)
        if isinstance(text, str):
            setattr(event, name, text.translate(original))


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


def _start_of_text(text: str, event: yaml.ScalarEvent) -> int:
    """Return where the quote or the mark of a block stands; the event starts with a tag or an anchor."""
    start = _index(event.start_mark)
    if event.tag is None and event.anchor is None:
        return start
    found = re.compile(rf"\s{re.escape(str(event.style))}").search(text, start)
    return found.start() + 1 if found else start


def _index(mark: Any) -> int:
    return int(mark.index)


def _limit(file: str, event: Any, what: str) -> ConfigError:
    return _place_error(file, event.start_mark.line + 1, what, "split the file or flatten it")


def _place_error(file: str, line: int, what: str, hint: str) -> ConfigError:
    return ConfigError(f"{shown_path(file)}:{line}: {what}", hint, file, line)


def _parsers_may_differ(text: str, events: list[Any]) -> bool:
    """Tell whether a text holds what libyaml takes and the parser in Python does not.

    That is a question mark in a plain value in brackets, a comment that touches the mark of a block, and odd
    directives.
    """
    if "%" in text and _DIRECTIVE.search(text):
        return True
    if "?" not in text and not ("#" in text and _TOUCHING_COMMENT.search(text)):
        return False
    depth = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1 if event.flow_style or depth else 0
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1 if depth else 0
        elif isinstance(event, yaml.ScalarEvent):
            in_brackets = depth and not event.style and "?" in event.value
            if in_brackets or (event.style in ("|", ">") and _TOUCHING_COMMENT.search(text)):
                return True
    return False


_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_TOUCHING_COMMENT = re.compile(r"[|>][-+0-9]*#")


def _check_tabs(text: str, file: str, events: list[Any]) -> None:
    """Refuse tabs outside of quoted texts, blocks and comments: there the two parsers disagree."""
    begin = 0
    for event in events:
        if not isinstance(event, yaml.ScalarEvent) or not event.style:
            continue
        start, end = _start_of_text(text, event), _index(event.end_mark)
        if event.style in "|>":
            # A block's own text starts after the line with its mark.
            first_break = _BREAK.search(text, start, end)
            start = first_break.start() if first_break else end
        _check_gap(text, begin, start, file)
        begin = max(begin, end)
    _check_gap(text, begin, len(text), file)


_COMMENT = re.compile(r"(?:^|[ \t])#")
# A file's "\r\n" is "\n" by now.
_BREAK = re.compile("[\n\r]")


def _check_gap(text: str, begin: int, end: int, file: str) -> None:
    if "\t" not in text[begin:end]:
        return
    position = begin
    for piece in _BREAK.split(text[begin:end]):
        comment = _COMMENT.search(piece)
        tab = piece.find("\t", 0, comment.end() if comment else len(piece))
        if tab >= 0:
            breaks = [match.end() for match in _BREAK.finditer(text, 0, position + tab)]
            raise _tab_error(file, len(breaks) + 1, position + tab - (breaks[-1] if breaks else 0) + 1)
        position += len(piece) + 1


def _tab_error(file: str, line: int, column: int) -> ConfigError:
    what = f"a tab in column {column}, where YAML wants spaces"
    return _place_error(file, line, what, "replace it with spaces, or quote the value that holds it")


# Parts of PyYAML's and libyaml's messages, and what to tell a user instead.
_EXPLANATIONS = (
    (
        "mapping values are not allowed",
        "': ' stands where no key can",
        "quote the value that holds it, or mend the indentation",
    ),
    (
        "could not find expected ':'",
        "a line is neither 'key: value' nor '- item'",
        "mend the line, or the quotes before it",
    ),
    ("unexpected end of stream", "a quote is not closed", "close it"),
    ("unexpected document separator", "a quote is not closed", "close it"),
    ("expected <block end>", "the indentation does not fit the lines above", "line up the keys of one section"),
    ("expected ',' or ']'", "a list in brackets is not closed", "write ',' or ']'"),
    ("expected ',' or '}'", "a section in braces is not closed", "write ',' or '}'"),
    ("escape", "unknown escape in double quotes", "double the backslash, or use single quotes"),
)


def _line_at(text: str, line: int) -> str:
    lines = text.split("\n")
    return lines[line - 1] if line <= len(lines) else ""


def _as_config_error(error: yaml.YAMLError, text: str, file: str) -> ConfigError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 1
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    character = text[mark.index : mark.index + 1] if mark is not None else ""
    if mark is not None and character == "\t":
        return _tab_error(file, line, mark.column + 1)
    if "cannot start any token" in problem:
        what, hint = f"a value cannot start with {character!r}", "quote the value"
    else:
        for part, words, advice in _EXPLANATIONS:
            if part in problem:
                what, hint = words, advice
                if "is not closed" in words and "expected" in part and "${" in _line_at(text, line):
                    what, hint = "'${' in brackets or braces without quotes", 'put it in quotes: "${NAME:default}"'
                break
        else:
            what, hint = f"not valid YAML: {problem}", "mend the line"
    return _place_error(file, line, what, hint)
