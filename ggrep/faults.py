"""Named moments of a write at which a process may die.

They cost one dictionary lookup each and do nothing by themselves: crash tests hang on to them,
kill the process there and look at what it left. What that is stands beside each name.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

POINTS: Final[Mapping[str, str]] = MappingProxyType({})

Hook = Callable[[str], None]
_hooks: list[Hook] = []  # empty outside tests


def reach(point: str) -> None:
    """Tell whoever watches that a write came to `point`, which must be one of POINTS."""
    if _hooks:
        for hook in _hooks:
            hook(point)


@contextmanager
def watched(hook: Hook) -> Iterator[None]:
    """Have `hook` called with each point that is reached while the block runs."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)
