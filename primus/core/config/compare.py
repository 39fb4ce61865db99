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


def differences(left: Experiment | None, right: Experiment | None, *, whole_keys: bool = False) -> list[Difference]:
    """Return the keys whose resolved values differ, in the order of the first experiment.

    Args:
        left: The first experiment; None where its file lacks the module.
        right: The second; None likewise.
        whole_keys: Tell parameters with the module that holds them.
    """
    prefix = "modules.{}.overrides." if whole_keys else ""
    present = [experiment for experiment in (left, right) if experiment is not None]
    alone = len(present) == 1
    first, second = (dict(_values(one, prefix, module_alone=alone)) if one is not None else {} for one in (left, right))
    result = []
    for key in dict.fromkeys([*first, *second]):
        one, other = first.get(key), second.get(key)
        if one is None or other is None or _differs(one, other):
            result.append(Difference(key, one, other))
    return result


def _differs(one: Node, other: Node) -> bool:
    # repr tells 1, 1.0 and true apart, which compare as equal.
    return repr(to_plain(one)) != repr(to_plain(other))


def _values(experiment: Experiment, prefix: str, *, module_alone: bool) -> Iterator[tuple[str, Node]]:
    for key, node in leaves(experiment.fixed):
        # What is not the module's own, the other file's other module was compared with.
        if not module_alone and not key.startswith("module.") and not _is_empty(node):
            yield key, node
    framework = experiment.fixed.find("module.framework")
    if framework is not None:
        yield f"modules.{experiment.module_name}.framework", framework
    yield from leaves(experiment.params, prefix.format(experiment.module_name))


def _is_empty(node: Node) -> bool:
    return isinstance(node, MappingNode)
