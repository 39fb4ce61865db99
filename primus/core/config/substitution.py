"""``${VAR}`` and ``${VAR:default}`` in configuration texts.

A variable that is unset or empty takes the default; without a default it is an error. Defaults nest.
``$${`` is a literal ``${``. Braces inside a default must balance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode
from primus.core.config.origin import Origin
from primus.core.config.scalars import resolve_plain
from primus.core.config.yaml_text import holds_surrogate
from primus.core.errors import ConfigError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_MARK = re.compile(r"\$\$\{|\$\{")
_BRACE = re.compile(r"[{}]")
_MAX_NESTING = 20


def substitute_text(text: str, environ: Mapping[str, str], origin: Origin, key: str = "") -> str:
    """Return a text with its variables filled in.

    Args:
        text: The text as written.
        environ: Where variables are looked up.
        origin: Its place, for messages.
        key: Its dotted key, for messages.

    Raises:
        ConfigError: A variable is not set and has no default, or the text is malformed.
    """
    return _Substitution(environ, origin, key).expand(text, 0) if "${" in text else text


def substitute_scalar(node: ScalarNode, environ: Mapping[str, str], key: str = "") -> ScalarNode:
    """Return a scalar with its variables filled in and, where it is one whole plain substitution, typed anew.

    Args:
        node: The scalar as written.
        environ: Where variables are looked up.
        key: Its dotted key, for messages.

    Raises:
        ConfigError: As for ``substitute_text``.
    """
    if "${" not in node.text:
        return node
    text = substitute_text(node.text, environ, node.origin, key)
    whole = node.plain and _is_one_substitution(node.text)
    return ScalarNode(resolve_plain(text) if whole else text, text, whole, node.origin, node.replaced, source=node.text)


def substitute_tree(
    node: Node, environ: Mapping[str, str], report: Callable[[ConfigError], None], key: str = ""
) -> Node:
    """Return a tree with all variables filled in; a text that cannot be stays as it is and is reported.

    Args:
        node: The tree as written.
        environ: Where variables are looked up.
        report: Called with each error.
        key: Dotted key of the tree.
    """
    if isinstance(node, ScalarNode):
        try:
            return substitute_scalar(node, environ, key)
        except ConfigError as error:
            report(error)
            return node
    if isinstance(node, SequenceNode):
        items = tuple(substitute_tree(item, environ, report, key) for item in node.items)
        return SequenceNode(items, node.origin, node.text, node.replaced)
    filled = {}
    for name, item in node.items.items():
        if "${" in name:
            what = f"{item.origin.place}: key {name!r} holds a substitution"
            report(ConfigError(what, "write the key out", item.origin.file, item.origin.line or None))
        filled[name] = substitute_tree(item, environ, report, f"{key}.{name}" if key else name)
    return MappingNode(filled, node.origin, node.text, node.replaced)


def _closing_brace(text: str, start: int) -> int:
    """Return the place of the brace that closes one opened before ``start``, or -1."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def _is_one_substitution(text: str) -> bool:
    return text.startswith("${") and _closing_brace(text, 2) == len(text) - 1


class _Substitution:
    def __init__(self, environ: Mapping[str, str], origin: Origin, key: str) -> None:
        self.environ = environ
        self.origin = origin
        self.key = key

    def error(self, what: str, hint: str) -> ConfigError:
        named = f"{self.key}: " if self.key else ""
        return ConfigError(
            f"{self.origin.place}: {named}{what}", hint, self.origin.file, self.origin.line or None, self.key or None
        )

    def expand(self, text: str, nesting: int) -> str:
        if nesting > _MAX_NESTING:
            raise self.error(f"more than {_MAX_NESTING} defaults inside each other", "set the variable instead")
        parts: list[str] = []
        position = 0
        while True:
            mark = _MARK.search(text, position)
            if mark is None:
                parts.append(text[position:])
                return "".join(parts)
            parts.append(text[position : mark.start()])
            if mark.group() == "$${":
                parts.append("${")
                position = mark.end()
                continue
            end = _closing_brace(text, mark.end())
            if end < 0:
                raise self.error("'${' is not closed", "close it with '}', or write $${ for a literal ${")
            parts.append(self.value(text[mark.end() : end], nesting))
            position = end + 1

    def value(self, inner: str, nesting: int) -> str:
        name, colon, default = inner.partition(":")
        if not _NAME.fullmatch(name):
            raise self.error(
                f"'${{{inner}}}' names no variable", "write ${NAME} or ${NAME:default}; $${ for a literal ${"
            )
        value = self.environ.get(name)
        if value and holds_surrogate(value):
            raise self.error(f"variable {name} is not UTF-8", "set it in UTF-8")
        if value:
            return value
        if colon:
            return self.expand(default, nesting + 1)
        state = "not set" if value is None else "empty"
        raise self.error(f"variable {name} is {state}", f"set {name}, or write ${{{name}:default}}")
