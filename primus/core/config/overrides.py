"""Overrides: ``key=value``, ``--key=value``, ``--key value`` and ``--flag``, from the command line and from hooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NoReturn

from primus.core.config.merging import merge
from primus.core.config.nodes import MappingNode, Node, ScalarNode, empty_mapping, with_replaced
from primus.core.config.origin import Origin
from primus.core.config.scalars import resolve_plain
from primus.core.config.yaml_events import MAX_DEPTH
from primus.core.config.yaml_reader import parse_yaml
from primus.core.config.yaml_text import holds_surrogate
from primus.core.errors import ConfigError


def split_overrides(tokens: Sequence[str], layer: str = "command line") -> list[str]:
    """Bring overrides into one form each, ``key=value`` or ``--key=value``.

    Args:
        tokens: Words of a command line.
        layer: Who gave them, for messages.

    Raises:
        ConfigError: A word is no override.
    """
    result: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if not token.startswith("--"):
            if "=" not in token or token.startswith("-"):
                stray_word(token, layer)
            result.append(token)
        elif "=" in token:
            result.append(token)
        elif position < len(tokens) and not tokens[position].startswith("--"):
            result.append(f"{token}={tokens[position]}")
            position += 1
        else:
            result.append(f"{token}=true")
    return result


def stray_word(word: str, layer: str = "command line") -> NoReturn:
    """Refuse a word that is neither an option nor an override.

    Args:
        word: The word.
        layer: Who gave it.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(f"{layer}: stray word {word!r}", "write key=value, --key=value or --key value")


def build_overrides(tokens: Sequence[str], layer: str = "command line") -> MappingNode:
    """Return overrides as one section, the last of several for one key on top.

    Args:
        tokens: Words of a command line.
        layer: Who gave them: ``command line`` or ``hook``.

    Raises:
        ConfigError: A word is no override, a key is malformed, or two overrides contradict each other.
    """
    root = empty_mapping(Origin(layer, 0, 0, layer))
    for override in split_overrides(tokens, layer):
        written, _, value = override.partition("=")
        if holds_surrogate(override):
            shown = written.encode("utf-8", "replace").decode("utf-8")
            raise ConfigError(f"{layer}: {shown}: not UTF-8", "write the value in UTF-8")
        origin = Origin(f"{layer}: {written}", 0, 0, layer)
        _insert(root, split_key(written.removeprefix("--"), origin.file), read_value(value, origin))
    return root


def split_key(key: str, place: str) -> list[str]:
    """Return the names of a dotted key.

    Args:
        key: Names joined by dots.
        place: Where it is written, for messages.

    Raises:
        ConfigError: A name is empty or holds white space, or there are too many.
    """
    parts = key.split(".")
    if not all(parts) or any(character.isspace() for character in key):
        raise ConfigError(f"{place}: {key!r} is no key", "write names joined by dots, such as training.steps")
    if len(parts) > MAX_DEPTH:
        raise ConfigError(f"{place}: more than {MAX_DEPTH} levels", "shorten the key")
    return parts


def read_value(text: str, origin: Origin) -> Node:
    """Read an override's value: like a value in braces or quotes in YAML, or as it stands.

    Args:
        text: The value as written.
        origin: Its place.
    """
    if text[:1] in ("[", "{", '"', "'"):
        try:
            node = parse_yaml(text, origin.file, origin.layer, place=origin)
        except ConfigError:
            node = None
        # YAML folds line ends in quotes into spaces; on a command line they are part of the value.
        if node is not None and not (isinstance(node, ScalarNode) and "\n" in text):
            return node
        return ScalarNode(text, text, False, origin)
    if not text:
        return ScalarNode("", "", False, origin)
    return ScalarNode(resolve_plain(text), text, True, origin)


def _insert(root: MappingNode, parts: list[str], node: Node) -> None:
    section = root
    for depth, part in enumerate(parts[:-1], start=1):
        below = section.items.setdefault(part, empty_mapping(node.origin))
        if not isinstance(below, MappingNode):
            raise _contradiction(node, below, ".".join(parts[:depth]))
        section = below
    name = parts[-1]
    known = section.items.get(name)
    if known is None:
        section.items[name] = node
    elif isinstance(known, MappingNode) and isinstance(node, MappingNode):
        section.items[name] = merge(known, node)
    elif isinstance(known, MappingNode) or isinstance(node, MappingNode):
        raise _contradiction(node, known, ".".join(parts))
    else:
        section.items[name] = with_replaced(node, known)


def _contradiction(node: Node, known: Node, key: str) -> ConfigError:
    return ConfigError(
        f"{node.origin.place}: {key} cannot be both a value and a section (see {known.origin.place})",
        "drop one of the two",
        key=key,
    )


def check_list_paths(overrides: Iterable[MappingNode], below: MappingNode) -> None:
    """Refuse an override that reaches into a list.

    Args:
        overrides: Sections made by ``build_overrides``.
        below: What they go on top of.

    Raises:
        ConfigError: One does.
    """
    for section in overrides:
        _check_list_paths(section, below, "")


def _check_list_paths(over: MappingNode, below: MappingNode, prefix: str) -> None:
    for name, node in over.items.items():
        known = below.items.get(name)
        if not isinstance(node, MappingNode) or known is None:
            continue
        if isinstance(known, MappingNode):
            _check_list_paths(node, known, f"{prefix}{name}.")
        elif not isinstance(known, ScalarNode):
            inner = next(iter(node.items.values()), node)
            raise ConfigError(
                f"{inner.origin.place}: {prefix}{name} is a list (see {known.origin.place})",
                "give the whole list, as [a, b]",
                key=f"{prefix}{name}",
            )
