"""Variables in the parameters: filled in after composing, so that what was replaced need not be set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from primus.core.config.nodes import MappingNode, Node, ScalarNode, SequenceNode, leaves
from primus.core.config.problems import Problem
from primus.core.config.secrets import MASK
from primus.core.config.substitution import substitute_tree


def fill_params(params: MappingNode, environ: Mapping[str, str], report: Callable[[Problem], None]) -> MappingNode:
    """Return the parameters with their variables filled in.

    Args:
        params: Composed parameters.
        environ: Where variables are looked up.
        report: Called with each value that cannot be filled in, and each that was hidden when it was written.
    """
    filled = substitute_tree(params, environ, lambda error: report(Problem.from_error(error, error.key or "")))
    if not isinstance(filled, MappingNode):
        return params
    for key, node in leaves(filled):
        for scalar in _scalars(node):
            if scalar.text == MASK:
                report(hidden_value(key, scalar))
    return filled


def hidden_value(key: str, node: Node) -> Problem:
    """Return the problem of a value that is the mask of a secret.

    Args:
        key: Its dotted key.
        node: The value.
    """
    what = "the value was hidden when this file was written"
    return Problem("structure", key, node.origin, what, hint="write the value, or ${VARIABLE}")


def _scalars(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, SequenceNode):
        for item in node.items:
            yield from _scalars(item)
    else:
        for item in node.items.values():
            yield from _scalars(item)
