"""Select tokens as paths: the only part of selection that reads the disk."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

PathResolver: TypeAlias = Callable[[str], tuple[Path, ...]]
"""Returns the existing paths, free of symbolic links, that a token may mean; best first."""


def path_resolver(bases: Sequence[Path]) -> PathResolver:
    """Return a resolver that tries a token below each of `bases` in turn."""

    def resolve(token: str) -> tuple[Path, ...]:
        found: dict[Path, None] = {}
        for base in bases:
            try:
                found[Path(os.path.realpath(base / token, strict=True))] = None
            except (OSError, ValueError):
                continue
        return tuple(found)

    return resolve
