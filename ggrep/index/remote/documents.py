"""Reads the documents of a remote: refs, states and trees, each checked and told of by its key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from msgspec import Struct

from ggrep.base.errors import NotTrusted
from ggrep.index.remote import layout
from ggrep.index.remote.layout import Blob, Entry, Tree
from ggrep.index.remote.objects import Objects

V = TypeVar("V")


class Found(Struct, Generic[V], frozen=True):
    """What an object holds, and the version that a swap names it by."""

    value: V
    version: str


def ref_at(objects: Objects, key: str) -> Found[tuple[Entry, ...]] | None:
    """Return the pushes that a ref remembers; None where there is none.

    Raises:
        NotTrusted: it is not as it was written.
    """
    found = objects.read(key, layout.MOST_REF_BYTES)
    if found is None:
        return None
    with _named(objects, key):
        return Found(layout.read_ref(found[0]), found[1])


def state_at(objects: Objects, key: str) -> Found[Blob] | None:
    """Return the tree that a state leads to; None where there is none.

    Raises:
        NotTrusted: it leads to none.
    """
    found = objects.read(key, layout.MOST_STATE_BYTES)
    if found is None:
        return None
    with _named(objects, key):
        return Found(layout.read_state(found[0]), found[1])


def tree_at(objects: Objects, tree: Blob) -> Tree | None:
    """Return a tree; None where there is none.

    Raises:
        NotTrusted: it is another, or none that can be one.
    """
    key = layout.tree_key(tree)
    found = objects.read(key, tree.size_bytes)
    if found is None:
        return None
    with _named(objects, key):
        return layout.read_tree(found[0], tree)


def is_there(objects: Objects, tree: Blob) -> bool:
    """Tell whether a tree lies there, by its size; it is not read."""
    stat = objects.stat(layout.tree_key(tree))
    return stat is not None and stat.size_bytes == tree.size_bytes


@contextmanager
def _named(objects: Objects, key: str) -> Iterator[None]:
    try:
        yield
    except NotTrusted as error:
        raise NotTrusted(f"{objects.name}: {key}: {error}") from error
