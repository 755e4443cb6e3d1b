"""Connects a command to its daemon and displays the daemon's progress."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ggrep.base.clock import Deadline, SystemClock
from ggrep.config.settings import home_from
from ggrep.index.store.active import has_index
from ggrep.interfaces.cli.terminal import Terminal, show_counts
from ggrep.service.location import Location

if TYPE_CHECKING:
    from ggrep.protocol.client.daemon_address import DaemonAddress
    from ggrep.protocol.client.daemon_client import IndexingProgress, Watcher


def address_of(place: Location, terminal: Terminal, flags: Mapping[str, object]) -> "DaemonAddress":
    """Return the address of the daemon that serves a root."""
    from ggrep.base.build import build_id
    from ggrep.protocol.client.daemon_address import arrange

    home = home_from(terminal.environ)
    return arrange(place.root, home, environ=terminal.environ, flags=flags, build=build_id())


def is_indexed(address: "DaemonAddress") -> bool:
    """Return whether the repository has an index, even a damaged one."""
    return has_index(address.identity.store)


@contextmanager
def watching(terminal: Terminal, label: str, quiet_ms: float = 0.0) -> Iterator["Watcher | None"]:
    """Yield a function that displays a daemon's progress after a delay; None without a terminal."""
    if not terminal.progress:
        yield None
        return
    quiet = Deadline.after(SystemClock(), quiet_ms)
    with ExitStack() as drawing:
        update: list[Callable[[str, int, int], None]] = []

        def watch(progress: "IndexingProgress") -> None:
            if quiet.remaining_ms() > 0.0:
                return
            if not update:
                update.append(drawing.enter_context(show_counts(terminal, label)))
            update[0](progress.stage, progress.done_files, progress.total_files)

        yield watch
