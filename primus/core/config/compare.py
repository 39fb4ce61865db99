"""What differs between two experiments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from primus.core.config.experiment import Experiment
from primus.core.config.explain import value_text
from primus.core.config.nodes import MappingNode, Node, leaves, to_plain


@dataclass(frozen=True)
class Difference:
    """One key with two values.

    Attributes:
        key: Dotted key.
        left: Its node in the first experiment, or None.
        right: Its node in the second, or None.
    """

    key: str
    left: Node | None
    right: Node | None

    def lines(self) -> list[str]:
        """Return the values and both places."""
        values = [value_text(node, self.key) if node is not None else "not set" for node in (self.left, self.right)]
        places = [node.origin.place if node is not None else "nowhere" for node in (self.left, self.right)]
        return [f"{self.key}: {values[0]} -> {values[1]}", f"  {places[0]} -> {places[1]}"]


def differences(left: Experiment, right: Experiment) -> list[Difference]:
    """Return the keys whose resolved values differ, in the order of the first experiment.

    Args:
        left: The first experiment.
        right: The second.
    """
    first, second = dict(_values(left)), dict(_values(right))
    result = []
    for key in dict.fromkeys([*first, *second]):
        one, other = first.get(key), second.get(key)
        if one is None or other is None or _differs(one, other):
            result.append(Difference(key, one, other))
    return result


def _differs(one: Node, other: Node) -> bool:
    # repr tells 1, 1.0 and true apart, which compare as equal.
    return repr(to_plain(one)) != repr(to_plain(other))


def _values(experiment: Experiment) -> Iterator[tuple[str, Node]]:
    for key, node in leaves(experiment.fixed):
        if not key.startswith("module.") and not _is_empty(node):
            yield key, node
    framework = experiment.fixed.find("module.framework")
    if framework is not None:
        yield f"modules.{experiment.module_name}.framework", framework
    yield from leaves(experiment.params)


def _is_empty(node: Node) -> bool:
    return isinstance(node, MappingNode)
