"""Check parameters against a JSON Schema and give each value the type it asks for.

The part of JSON Schema 2020-12 that the generated files use: type, properties, additionalProperties, items, enum,
anyOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from primus.core.config.nearest import nearest_key, nearest_name
from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, nothing_written
from primus.core.config.problems import MAX_SHOWN, Problem
from primus.core.config.scalars import resolve_plain
from primus.core.config.secrets import looks_secret
from primus.core.config.yaml_writer import scalar_text

_ENVIRONMENT_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z]*PATH|HOME|TMPDIR")
_FILE_PARTS = {
    "env": "environment variables belong under env: at the top of the experiment",
    "framework": "framework: belongs beside overrides: in the experiment",
    "modules": "leave out modules.NAME.overrides. and write what stands below it",
}
_TYPE_WORDS = {
    "null": "nothing (null)",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "array": "a list",
    "object": "a section",
}
_LIMIT_WORDS = {
    "minimum": "of at least",
    "exclusiveMinimum": "above",
    "maximum": "of at most",
    "exclusiveMaximum": "below",
}


def check(params: MappingNode, document: Mapping[str, Any]) -> list[Problem]:
    """Return everything in the parameters that the schema does not allow.

    Args:
        params: Composed parameters.
        document: JSON Schema.
    """
    return fit(params, document)[1]


def coerce(params: MappingNode, document: Mapping[str, Any]) -> MappingNode:
    """Return the parameters with each value of the type that the schema asks for, where it can be.

    Args:
        params: Composed parameters.
        document: JSON Schema.
    """
    return fit(params, document)[0]


def fit(params: MappingNode, document: Mapping[str, Any]) -> tuple[MappingNode, list[Problem]]:
    """Return coerced parameters and all problems.

    Args:
        params: Composed parameters.
        document: JSON Schema.
    """
    checker = _Checker(document)
    node = checker.fit(params, document, "")
    return (node if isinstance(node, MappingNode) else params), checker.problems


def looks_like_environment(key: str) -> bool:
    """Tell whether a key looks like the name of an environment variable.

    Args:
        key: A key without dots.
    """
    return _ENVIRONMENT_NAME.fullmatch(key) is not None


def dotted_names(section: MappingNode, prefix: str = "") -> Iterator[Problem]:
    """Yield a problem for each name with a dot, which only a schema can tell from a mistake.

    Args:
        section: Any section.
        prefix: Its dotted key with a dot at its end; empty at the top.
    """
    for name, node in section.items.items():
        if "." in name:
            yield _dotted(node, name, prefix + name)
        if isinstance(node, MappingNode):
            yield from dotted_names(node, f"{prefix}{name}.")


def _dotted(node: Node, name: str, path: str) -> Problem:
    secret = isinstance(node, ScalarNode) and looks_secret(path, node.text, node.source)
    *outer, last = name.split(".")
    value = scalar_text(node.value) if isinstance(node, ScalarNode) and not secret else "..."
    nested = f"{{{last}: {value}}}"
    for part in reversed(outer[1:]):
        nested = f"{{{part}: {nested}}}"
    return Problem("structure", path, node.origin, f"a dot does not nest in a file, write {outer[0]}: {nested}")


def misplaced_parts(section: MappingNode) -> Iterator[str]:
    """Yield a warning for each part of the file that an override names as if it were a parameter.

    Args:
        section: Composed parameters.
    """
    for name, words in _FILE_PARTS.items():
        node = section.items.get(name)
        if node is not None and not node.origin.line:
            yield f"{node.origin.place}: is a parameter here; {words}"


class _Checker:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self._known: list[str] | None = None

    def fit(self, node: Node, schema: Mapping[str, Any], key: str) -> Node:
        if "anyOf" in schema:
            return self.fit_any(node, schema["anyOf"], key)
        if isinstance(node, MappingNode):
            return self.fit_section(node, schema, key)
        if isinstance(node, SequenceNode):
            return self.fit_list(node, schema, key)
        if nothing_written(node) and _types(schema) == {"object"}:
            return MappingNode({}, node.origin, replaced=node.replaced)
        return self.fit_scalar(node, schema, key)

    def fit_any(self, node: Node, choices: Sequence[Mapping[str, Any]], key: str) -> Node:
        before = len(self.problems)
        best: list[Problem] | None = None
        for choice in choices:
            fitted = self.fit(node, choice, key)
            found = self.problems[before:]
            del self.problems[before:]
            if not found:
                return fitted
            # Trouble deeper inside says that the outer form was right.
            if best is None or max(len(p.key) for p in found) > max(len(p.key) for p in best):
                best = found
        if best and all(problem.key == key for problem in best):
            wants = " or ".join(dict.fromkeys(describe_type(choice) for choice in choices))
            best = [self.problem("type", node, key, f"wants {wants}, got {_got(node, key)}")]
        self.problems += best or []
        return node

    def fit_section(self, node: MappingNode, schema: Mapping[str, Any], key: str) -> Node:
        types = _types(schema)
        if types and "object" not in types:
            if "string" in types and node.text:
                return _as_text(node)
            return self.wrong_type(node, schema, key)
        properties: Mapping[str, Any] = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        items: dict[str, Node] = {}
        for name, item in node.items.items():
            path = f"{key}.{name}" if key else name
            if name in properties:
                items[name] = self.fit(item, properties[name], path)
            elif others is False:
                self.problems.append(self.unknown(item, name, path, properties))
                items[name] = item
            else:
                items[name] = self.fit(item, others, path) if isinstance(others, Mapping) else item
        return MappingNode(items, node.origin, node.text, node.replaced)

    def fit_list(self, node: SequenceNode, schema: Mapping[str, Any], key: str) -> Node:
        types = _types(schema)
        if types and "array" not in types:
            if "string" in types and node.text:
                return _as_text(node)
            return self.wrong_type(node, schema, key)
        inner = schema.get("items", {})
        items = tuple(self.fit(item, inner, f"{key}[{number}]") for number, item in enumerate(node.items))
        return SequenceNode(items, node.origin, node.text, node.replaced)

    def fit_scalar(self, node: ScalarNode, schema: Mapping[str, Any], key: str) -> Node:
        enum = schema.get("enum")
        types = _types(schema)
        if enum is not None and not types:
            types = {_type_of(choice) for choice in enum}
        fitted = _typed(node, types) if types else node
        if fitted is None:
            return self.wrong_type(node, schema, key)
        if enum is not None and not any(_same(fitted.value, choice) for choice in enum):
            texts = [choice for choice in enum if isinstance(choice, str)]
            best = nearest_name(str(fitted.value), texts) if len(self.problems) < MAX_SHOWN else None
            what = f"wants {describe_type(schema)}, got {_got(node, key)}"
            self.problems.append(Problem("choice", key, node.origin, what, best))
        elif _type_of(fitted.value) in ("integer", "number") and not _within_limits(fitted.value, schema):
            self.problems.append(
                self.problem("range", node, key, f"wants {describe_type(schema)}, got {_got(node, key)}")
            )
        return fitted

    def wrong_type(self, node: Node, schema: Mapping[str, Any], key: str) -> Node:
        self.problems.append(self.problem("type", node, key, f"wants {describe_type(schema)}, got {_got(node, key)}"))
        return node

    def problem(self, kind: str, node: Node, key: str, what: str) -> Problem:
        return Problem(kind, key, node.origin, what)

    def unknown(self, node: Node, name: str, path: str, siblings: Mapping[str, Any]) -> Problem:
        if "." in name:
            return _dotted(node, name, path)
        if looks_like_environment(name):
            what = "unknown key; an environment variable belongs under env: at the top of the experiment"
            return Problem("unknown", path, node.origin, what)
        if path in _FILE_PARTS:
            return Problem("unknown", path, node.origin, f"unknown key; {_FILE_PARTS[path]}")
        # Likeness costs time, and nobody reads the fifty-first suggestion.
        nearest = self.nearest(name, path, siblings) if len(self.problems) < MAX_SHOWN else None
        return Problem("unknown", path, node.origin, "unknown key", nearest)

    def nearest(self, name: str, path: str, siblings: Mapping[str, Any]) -> str | None:
        prefix = path[: len(path) - len(name)]
        best = nearest_name(name, siblings, 0.7)
        if best is not None:
            return prefix + best
        if self._known is None:
            self._known = list(_all_keys(self.document, ""))
        best = nearest_key(path, self._known)
        if best is not None:
            return best
        best = nearest_name(name, siblings)
        return prefix + best if best is not None else None


def _all_keys(document: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, entry in document.get("properties", {}).items():
        yield prefix + name
        yield from _all_keys(entry, f"{prefix}{name}.")


def _types(schema: Mapping[str, Any]) -> set[str]:
    types = schema.get("type", ())
    return {types} if isinstance(types, str) else set(types)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", float: "number", str: "string"}.get(type(value), "object")


def _same(left: Any, right: Any) -> bool:
    return bool(left == right) and _type_of(left) == _type_of(right)


def _as_text(node: MappingNode | SequenceNode) -> ScalarNode:
    return ScalarNode(node.text, node.text, False, node.origin, node.replaced)


def _typed(node: ScalarNode, types: set[str]) -> ScalarNode | None:
    """Return the scalar as one of the types, or None where it is none of them."""
    value = node.value
    kind = _type_of(value)
    if kind == "integer" and "integer" not in types and "number" in types:
        return _with_value(node, float(value))
    if kind == "number" and "number" not in types and "integer" in types and value.is_integer():
        return _with_value(node, int(value))
    if kind in types:
        return node
    if kind == "string" and "number" in types and not node.plain and node.text in (".inf", "-.inf", ".nan"):
        # JSON cannot write these numbers otherwise.
        return _with_value(node, float(node.text.replace(".", "")))
    if "string" in types and node.plain and (kind != "null" or node.source is not None):
        return _with_value(node, node.text)
    return None


def _with_value(node: ScalarNode, value: Any) -> ScalarNode:
    return ScalarNode(value, node.text, node.plain, node.origin, node.replaced, node.source)


def _within_limits(value: float, schema: Mapping[str, Any]) -> bool:
    # Written so that "not a number" lies outside of any limit.
    return (
        ("minimum" not in schema or value >= schema["minimum"])
        and ("maximum" not in schema or value <= schema["maximum"])
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )


def describe_type(schema: Mapping[str, Any]) -> str:
    """Return in words what a schema wants.

    Args:
        schema: JSON Schema of one key.
    """
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(describe_type(choice) for choice in schema["anyOf"]))
    if "enum" in schema:
        choices = [_shown(choice) for choice in schema["enum"]]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    words = []
    types = schema.get("type", ())
    for kind in [types] if isinstance(types, str) else types:
        inner = schema.get("items", {}) if kind == "array" else {}
        word = f"a list of {describe_type(inner)}" if inner else _TYPE_WORDS[kind]
        words.append(word + (_limits(schema) if kind in ("integer", "number") else ""))
    return " or ".join(words) or "any value"


def _limits(schema: Mapping[str, Any]) -> str:
    words = [f"{text} {schema[name]}" for name, text in _LIMIT_WORDS.items() if name in schema]
    return f" {' and '.join(words)}" if words else ""


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _got(node: Node, key: str) -> str:
    if isinstance(node, MappingNode):
        return "a section"
    if isinstance(node, SequenceNode):
        return "a list"
    if looks_secret(key, node.text, node.source):
        return "a secret"
    if node.value is None:
        return "nothing" if not node.text else f"nothing ({node.text})"
    if isinstance(node.value, str):
        shown = node.text if len(node.text) <= 60 else node.text[:57] + "..."
        # Quotes are what makes a number text; say so where they are the mistake.
        quoted = not node.plain and not isinstance(resolve_plain(node.text), str)
        return f"text {shown!r}" + (" in quotes" if quoted else "")
    return node.text
