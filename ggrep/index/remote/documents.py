"""Reads and checks the documents of a remote: refs, states and trees. Errors contain the key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from msgspec import Struct

from ggrep.base.errors import NotTrusted
from ggrep.index.remote import layout
from ggrep.index.remote.layout import Blob, Entry, Tree
from ggrep.index.remote.objects import Objects

V = TypeVar("V")


class Document(Struct, Generic[V], frozen=True):
    """The decoded content of an object, and the version that a swap compares."""

    value: V
    version: str


def ref_at(objects: Objects, key: str) -> Document[tuple[Entry, ...]] | None:
    """Return the pushes that a ref lists; None if there is no such ref.

    Raises:
        NotTrusted: the ref is damaged.
    """
    stored = objects.read(key, layout.MOST_REF_BYTES)
    if stored is None:
        return None
    with _named(objects, key):
        return Document(layout.read_ref(stored[0]), stored[1])


def state_at(objects: Objects, key: str) -> Document[Blob] | None:
    """Return the tree to which a state refers; None if there is no such state.

    Raises:
        NotTrusted: the state does not refer to a tree.
    """
    stored = objects.read(key, layout.MOST_STATE_BYTES)
    if stored is None:
        return None
    with _named(objects, key):
        return Document(layout.read_state(stored[0]), stored[1])


def tree_at(objects: Objects, tree: Blob) -> Tree | None:
    """Return a tree; None if there is no such tree.

    Raises:
        NotTrusted: the object is not the expected tree, or not a valid tree.
    """
    key = layout.tree_key(tree)
    stored = objects.read(key, tree.size_bytes)
    if stored is None:
        return None
    with _named(objects, key):
        return layout.read_tree(stored[0], tree)


def is_there(objects: Objects, tree: Blob) -> bool:
    """Return whether a tree exists with the expected size; its content is not read."""
    stat = objects.stat(layout.tree_key(tree))
    return stat is not None and stat.size_bytes == tree.size_bytes


@contextmanager
def _named(objects: Objects, key: str) -> Iterator[None]:
    try:
        yield
    except NotTrusted as error:
        raise NotTrusted(f"{objects.name}: {key}: {error}") from error
