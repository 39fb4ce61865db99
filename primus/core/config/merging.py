"""The one deep merge: sections merge, everything else replaces."""

from __future__ import annotations

from primus.core.config.nodes import MappingNode, Node, nothing_written, with_replaced


def merge(base: MappingNode, over: MappingNode) -> MappingNode:
    """Return one section with the keys of both; where both have one, ``over`` wins and remembers.

    Args:
        base: The lower layer.
        over: The higher layer.
    """
    if not base.items or base is over:
        return over
    if not over.items:
        return base
    items: dict[str, Node] = dict(base.items)
    for key, node in over.items.items():
        below = items.get(key)
        if below is None or below is node:
            items[key] = node
        elif isinstance(below, MappingNode) and isinstance(node, MappingNode):
            items[key] = merge(below, node)
        elif isinstance(below, MappingNode) and nothing_written(node):
            # A section whose lines are all commented out says nothing about what lower layers set.
            continue
        else:
            items[key] = with_replaced(node, below)
    return MappingNode(items, over.origin)
