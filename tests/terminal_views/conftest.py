"""A small indexed shop, and what programs are run in: a pseudo terminal, or tmux."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.cli.conftest import Shop, built
from tests.terminal_views.terminals import Pty, pty_running

__all__ = ["built"]

Run = Callable[..., Pty]


@pytest.fixture
def run(built: Shop) -> Iterator[Run]:
    """Return what runs `ggrep` in the shop on a pseudo terminal; all are ended afterwards."""
    with ExitStack() as running:

        def start(*arguments: str, **options: object) -> Pty:
            started = pty_running(built, arguments, **options)  # type: ignore[arg-type] # a test's
            return running.enter_context(started)

        yield start
