"""What a user should know of how the layers met: no mistakes, but seldom meant."""

from __future__ import annotations

from primus.core.config.layers import Layers
from primus.core.config.nodes import MappingNode, Node, leaves, to_plain
from primus.core.config.schema_check import looks_like_environment


def preset_disagreements(layers: Layers, params: MappingNode) -> list[str]:
    """Say where the module preset overrules the model preset and nothing above overrules both.

    Args:
        layers: The layers.
        params: What they were composed to.
    """
    result = []
    for key, node in leaves(layers.preset):
        other = layers.model.find(key)
        final = params.find(key)
        if other is None or final is None or final.origin != node.origin or to_plain(other) == to_plain(node):
            continue
        result.append(
            f"{key}: the module preset ({node.origin.place}) wins over the model preset ({other.origin.place})"
        )
    return result


def hook_values_replaced(layers: Layers) -> list[str]:
    """Say where a hook and the user set the same key.

    Args:
        layers: The layers.
    """
    return [
        f"{key}: the command line ({node.origin.file.partition(': ')[2]}) wins over a hook's value"
        for key, value in leaves(layers.hooks)
        if (node := _replacing(layers.user, key, value)) is not None
    ]


def _replacing(user: MappingNode, key: str, value: Node) -> Node | None:
    """Return what stands in the user's overrides at a key, or at a section above it in place of that section."""
    node: Node = user
    for part in key.split("."):
        below = node.items.get(part) if isinstance(node, MappingNode) else None
        if below is None:
            break
        node = below
        if not isinstance(node, MappingNode):
            return node
    else:
        return node if not isinstance(value, MappingNode) else None
    return None


def misplaced_environment(params: MappingNode) -> list[str]:
    """Say which parameters look like environment variables.

    Args:
        params: Composed parameters.
    """
    return [
        f"{node.origin.place}: {key} looks like an environment variable; those belong under env: at the top"
        for key, node in params.items.items()
        if looks_like_environment(key)
    ]
