"""Opens watches on as many directories as the system allows."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from watchfiles._rust_notify import RustNotify

WATCH_ERRORS: Final = (OSError, RuntimeError, ValueError)
"""A directory that is gone or closed to us, or no watches left; no instances left; no UTF-8."""


class Watch(Protocol):
    """The interface of `RustNotify` that is used."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event
    ) -> set[tuple[int, str]] | str:
        """Return events, or `stop`, `signal` or `timeout`."""
        ...

    def close(self) -> None:
        """Free the watches."""
        ...


OpenWatch = Callable[[list[str]], Watch]


def open_watch(paths: list[str]) -> Watch:
    """Return a watch on directories and all below them.

    Raises:
        OSError: a directory is gone or cannot be read, or there are no watches left.
        RuntimeError: there are no instances left.
        ValueError: a path is not UTF-8.
    """
    # Told to ignore missing permissions it would ignore a lack of watches as well, and leave
    # part of a tree unwatched without a word.
    opened: Any = RustNotify(
        paths,
        debug=False,
        force_polling=False,
        poll_delay_ms=0,
        recursive=True,
        ignore_permission_denied=False,
    )
    return opened  # type: ignore[no-any-return] # its stub asks for more than it uses


def open_most(roots: Sequence[Path], opener: OpenWatch) -> tuple[Watch | None, dict[Path, str]]:
    """Return one watch on as many roots as possible, and the error of each other root.

    Where not all can be, one after another is tried with those that can; earlier ones win.
    """
    try:
        return (opener([str(root) for root in roots]) if roots else None), {}
    except WATCH_ERRORS:
        paths, problems = _watchable(roots, opener)
    try:
        return (opener(paths) if paths else None), problems
    except WATCH_ERRORS as error:  # what went a moment ago does not go now
        return None, {root: problems.get(root, _told(error)) for root in roots}


def _watchable(roots: Sequence[Path], opener: OpenWatch) -> tuple[list[str], dict[Path, str]]:
    paths: list[str] = []
    problems: dict[Path, str] = {}
    for root in roots:
        try:
            opener([*paths, str(root)]).close()
            paths.append(str(root))
        except WATCH_ERRORS as error:
            problems[root] = _told(error)
    return paths, problems


def _told(error: Exception) -> str:
    return f"cannot be watched: {error}"
