"""YAML to nodes: strict, and every node knows its place."""

from __future__ import annotations

import os
import re
from typing import Any

import yaml

from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, with_origin
from primus.core.config.origin import Origin
from primus.core.config.paths import absolute, shown_path
from primus.core.config.scalars import resolve_plain
from primus.core.config.yaml_events import parse_events
from primus.core.config.yaml_text import holds_surrogate, read_text
from primus.core.errors import ConfigError

# What aliases may add to a file: enough for people, too little for a "billion laughs".
MAX_ALIASED = 10_000


def read_yaml(path: str | os.PathLike[str], layer: str) -> Node | None:
    """Read a YAML file.

    Args:
        path: The file.
        layer: What the file is to the experiment, for the origins.

    Raises:
        ConfigError: It cannot be read, or is not the YAML that Primus takes.
    """
    file = str(absolute(path))
    return parse_yaml(read_text(file), file, layer)


def parse_yaml(
    text: str, file: str, layer: str, *, place: Origin | None = None, use_c: bool | None = None
) -> Node | None:
    """Read a YAML text; None for one that holds nothing.

    Args:
        text: The whole text.
        file: Where it comes from.
        layer: As for ``read_yaml``.
        place: Origin of every node, for a text that is not a file.
        use_c: As for ``parse_events``.

    Raises:
        ConfigError: As for ``read_yaml``.
    """
    return _Composer(_ANY_LINE_END.sub("\n", text), file, layer, place, use_c).document()


_ANY_LINE_END = re.compile("\r\n?")


class _Composer:
    def __init__(self, text: str, file: str, layer: str, place: Origin | None, use_c: bool | None) -> None:
        self.text = text
        self.file = file
        self.layer = layer
        self.place = place
        self.events = iter(parse_events(text, file, use_c))
        self.anchors: dict[str, tuple[Node, int] | None] = {}
        self.count = 0
        self.aliased = 0

    def document(self) -> Node | None:
        node: Node | None = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.error(event, "a second document starts", "keep one document in a file")
                node = self.node(next(self.events))
        if isinstance(node, ScalarNode) and node.plain and not node.text:
            return None
        return node

    def error(self, event: Any, what: str, hint: str) -> ConfigError:
        line = event.start_mark.line + 1
        return ConfigError(f"{shown_path(self.file)}:{line}: {what}", hint, self.file, line)

    def origin(self, event: Any) -> Origin:
        mark = event.start_mark
        return self.place or Origin(self.file, mark.line + 1, mark.column + 1, self.layer)

    def node(self, event: Any) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        before = self.count
        self.count += 1
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = self.scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self.sequence(event)
        else:
            node = self.mapping(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.count - before)
        return node

    def alias(self, event: Any) -> Node:
        if event.anchor not in self.anchors:
            raise self.error(event, f"alias *{event.anchor} has no anchor", "quote the value if it is a text")
        known = self.anchors[event.anchor]
        if known is None:
            raise self.error(event, f"alias *{event.anchor} is inside its own anchor", "write it out")
        node, size = known
        self.count += size
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            raise self.error(event, f"aliases expand to more than {MAX_ALIASED} values", "write them out")
        return with_origin(node, self.origin(event))

    def scalar(self, event: Any) -> ScalarNode:
        text = _without_pairs(event)
        plain = not event.style
        if holds_surrogate(text):
            raise self.error(event, "an escape stands for half a character", "write the character itself")
        tag = event.tag
        if tag is None:
            return ScalarNode(resolve_plain(text) if plain else text, text, plain, self.origin(event))
        if tag in ("!", "tag:yaml.org,2002:str"):
            return ScalarNode(text, text, False, self.origin(event))
        value = resolve_plain(text)
        kind = _TAGGED_TYPES.get(tag)
        if kind is None or not (isinstance(value, kind) and (kind is not int or not isinstance(value, bool))):
            raise self.error(event, f"tag {_short_tag(tag)} does not fit {text!r}", "leave the tag out")
        return ScalarNode(value, text, True, self.origin(event))

    def sequence(self, event: Any) -> SequenceNode:
        self.check_collection_tag(event, "tag:yaml.org,2002:seq")
        items: list[Node] = []
        for item in self.events:
            if isinstance(item, yaml.SequenceEndEvent):
                return SequenceNode(tuple(items), self.origin(event), self.written(event, item))
            items.append(self.node(item))
        raise AssertionError("the parser ended inside a list")

    def mapping(self, event: Any) -> MappingNode:
        self.check_collection_tag(event, "tag:yaml.org,2002:map")
        items: dict[str, Node] = {}
        for key_event in self.events:
            if isinstance(key_event, yaml.MappingEndEvent):
                return MappingNode(items, self.origin(event), self.written(event, key_event))
            key = self.key(key_event)
            origin = self.origin(key_event)
            if key in items:
                first = items[key].origin
                where = f" in line {first.line}" if first.line else ""
                raise self.error(key_event, f"key {key!r} is there already{where}", "keep one of them")
            value_event = next(self.events)
            if event.flow_style:
                self.check_flow_entry(key_event, value_event, key)
            items[key] = with_origin(self.node(value_event), origin)
        raise AssertionError("the parser ended inside a section")

    def key(self, event: Any) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            what = "an alias" if isinstance(event, yaml.AliasEvent) else "a list or section"
            raise self.error(event, f"{what} stands as a key", "write the key as text")
        text = _without_pairs(event)
        if holds_surrogate(text):
            raise self.error(event, "an escape stands for half a character", "write the character itself")
        if event.anchor is not None or event.tag is not None:
            raise self.error(event, f"key {event.value!r} has an anchor or a tag", "write the key alone")
        if event.style:
            return text
        if event.value == "<<":
            raise self.error(event, "'<<' is no part of YAML 1.2", "use extends: at the top of the file")
        value = resolve_plain(event.value)
        if not isinstance(value, str):
            what = f"key {event.value!r} is no text" if event.value else "a key is empty"
            raise self.error(event, what, "quote the key")
        return value

    def check_flow_entry(self, key_event: Any, value_event: Any, key: str) -> None:
        if not isinstance(value_event, yaml.ScalarEvent) or value_event.value or value_event.style:
            return
        end: Any = key_event.end_mark
        start: Any = value_event.start_mark
        between = self.text[end.index : start.index]
        if ":" not in between:
            raise self.error(key_event, f"{key!r} in braces has no value", "write {key: value}, or use quotes")

    def check_collection_tag(self, event: Any, wanted: str) -> None:
        if event.tag not in (None, "!", wanted):
            raise self.error(event, f"tag {_short_tag(event.tag)} is not known", "leave the tag out")

    def written(self, start: Any, end: Any) -> str:
        return self.text[start.start_mark.index : end.end_mark.index] if start.flow_style else ""


_TAGGED_TYPES: dict[str, Any] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}


def _without_pairs(event: Any) -> str:
    """Return a scalar's text with the two escapes that JSON writes for one character put together."""
    text: str = event.value
    if event.style != '"' or not holds_surrogate(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _short_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")
