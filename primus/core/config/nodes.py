"""Configuration values that know where they were written and what they replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from primus.core.config.origin import Origin


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A text, number, truth value or null.

    Attributes:
        value: The typed value.
        text: What was written, after substitution; what a key that wants text gets.
        plain: Written without quotes, so that its text decides its type.
        origin: Place of the key, or of the item in a list.
        replaced: What a lower layer had set.
        source: What was written, before substitution; None where nothing was substituted.
    """

    value: Any
    text: str
    plain: bool
    origin: Origin
    replaced: Node | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A list.

    Attributes:
        items: Its values.
        origin: As for ScalarNode.
        text: What was written, for a list in brackets; empty otherwise.
        replaced: As for ScalarNode.
    """

    items: tuple[Node, ...]
    origin: Origin
    text: str = ""
    replaced: Node | None = None


@dataclass(frozen=True, slots=True)
class MappingNode:
    """A section; attributes as for SequenceNode, ``items`` by key."""

    items: dict[str, Node]
    origin: Origin
    text: str = ""
    replaced: Node | None = None

    def find(self, dotted_key: str) -> Node | None:
        """Return the node under a dotted key, or None.

        Args:
            dotted_key: Names joined by dots.
        """
        node: Node | None = self
        for part in dotted_key.split("."):
            if not isinstance(node, MappingNode):
                return None
            node = node.items.get(part)
        return node


Node = ScalarNode | SequenceNode | MappingNode


def nothing_written(node: Node) -> bool:
    """Tell whether a key stands in a file with nothing after its colon.

    Args:
        node: The key's node.
    """
    return isinstance(node, ScalarNode) and node.plain and not node.text and node.source is None


def with_origin(node: Node, origin: Origin) -> Node:
    """Return the node as if it stood elsewhere.

    Args:
        node: Any node; its children keep their places.
        origin: The new place.
    """
    if isinstance(node, ScalarNode):
        return ScalarNode(node.value, node.text, node.plain, origin, node.replaced, node.source)
    if isinstance(node, SequenceNode):
        return SequenceNode(node.items, origin, node.text, node.replaced)
    return MappingNode(node.items, origin, node.text, node.replaced)


def with_replaced(node: Node, replaced: Node) -> Node:
    """Return the node with something more at the end of the chain of what it replaced.

    Args:
        node: Any node.
        replaced: What a lower layer had set.
    """
    if node.replaced is None:
        return _onto(node, replaced)
    chain = [node, *history(node)]
    # A value reached on two ways through extends: is told once; else chains would double at each level.
    known = {id(one.origin) for one in chain}
    older = [one for one in (replaced, *history(replaced)) if id(one.origin) not in known]
    result: Node | None = None
    for one in reversed([*chain, *older]):
        result = _onto(one, result)
    return node if result is None else result


def _onto(node: Node, replaced: Node | None) -> Node:
    if isinstance(node, ScalarNode):
        return ScalarNode(node.value, node.text, node.plain, node.origin, replaced, node.source)
    if isinstance(node, SequenceNode):
        return SequenceNode(node.items, node.origin, node.text, replaced)
    return MappingNode(node.items, node.origin, node.text, replaced)


def to_plain(node: Node) -> Any:
    """Return the values alone, as dicts, lists and scalars.

    Args:
        node: Any node.
    """
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [to_plain(item) for item in node.items]
    return {key: to_plain(item) for key, item in node.items.items()}


def leaves(node: MappingNode, prefix: str = "") -> Iterator[tuple[str, Node]]:
    """Yield each value that is no filled section, with its dotted key.

    Args:
        node: A section.
        prefix: Dotted key of the section, with a dot at its end; empty at the top.
    """
    for key, item in node.items.items():
        if isinstance(item, MappingNode) and item.items:
            yield from leaves(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item


def history(node: Node) -> Iterator[Node]:
    """Yield what a node replaced, the nearest layer first.

    Args:
        node: Any node.
    """
    current = node.replaced
    while current is not None:
        yield current
        current = current.replaced


EMPTY_ORIGIN = Origin("nowhere", 0, 0, "default")


def empty_mapping(origin: Origin = EMPTY_ORIGIN) -> MappingNode:
    """Return a section without keys.

    Args:
        origin: Its place.
    """
    return MappingNode({}, origin)
