"""A node's children by position; None where there is none and the binding would raise."""

from tree_sitter import Node


def named(node: Node | None, index: int) -> Node | None:
    """Return the child at `index` among those that are not punctuation."""
    if node is None or index >= node.named_child_count:
        return None
    return node.named_child(index)


def last_named(node: Node | None) -> Node | None:
    """Return the last child that is not punctuation."""
    if node is None or not node.named_child_count:
        return None
    return node.named_child(node.named_child_count - 1)
