"""Asks the person at the terminal whether to index a directory that is not a repository."""

import sys
from collections.abc import Callable
from pathlib import Path

from ggrep.base.errors import Cancelled, Unasked
from ggrep.config.home import Home
from ggrep.model.sanitise import sanitise_line


def ask_before_indexing(
    require: Callable[[Path, Home], None], root: Path, home: Home, *, yes: bool
) -> None:
    """Raise unless an index is wanted or the person at the terminal agrees.

    Args:
        require: raises where nothing says that one is wanted.
        root: of what would be indexed.
        home: where its stores lie.
        yes: it was said on the command line.

    Raises:
        Unasked: it was not; the message says what to type.
    """
    if yes:
        return
    try:
        require(root, home)
    except Unasked:
        if not _somebody_is_there():
            raise
        shown = sanitise_line(str(root))
        # Late: most searches ask nobody.
        import typer

        try:
            wanted = typer.confirm(f"{shown} is no repository; index it?", err=True)
        except typer.Abort as error:
            raise Cancelled("interrupted") from error
        if not wanted:
            raise


def _somebody_is_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
