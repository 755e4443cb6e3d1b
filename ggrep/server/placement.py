"""Places repositories on nodes by rendezvous hashing.

Each node has a weight for each repository, and the nodes with the largest weights hold the
repository. If a node joins or leaves, only the repositories of this node move. The placement is
computed from keys and node names; it is not stored.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

COPIES: Final = 2
"""Number of nodes that hold each repository."""


def placed(key: str, nodes: Iterable[str], copies: int = COPIES) -> tuple[str, ...]:
    """Return the names of the `copies` nodes that hold a repository, the preferred node first."""
    return _placed(key, tuple(nodes), copies)


@lru_cache(1 << 17)
def _placed(key: str, nodes: tuple[str, ...], copies: int) -> tuple[str, ...]:
    return tuple(sorted(nodes, key=lambda node: (_weight(key, node), node), reverse=True)[:copies])


def _weight(key: str, node: str) -> bytes:
    return hashlib.sha256(f"{node}\n{key}".encode()).digest()
