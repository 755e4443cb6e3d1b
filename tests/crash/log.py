"""What many writers of one store write down, in the order in which it happened."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct


class Grant(Struct, frozen=True):
    """A writer was given the lease."""

    epoch: int
    pid: int


class Release(Struct, frozen=True):
    """The writer is about to let the lease go."""

    epoch: int
    pid: int


class Swap(Struct, frozen=True):
    """A snapshot became active; `parent` is what its manifest says."""

    snapshot: str
    parent: str | None
    epoch: int


Event = Grant | Release | Swap


class Log:
    """A file that processes append lines to; one write each, so none is torn."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def append(self, event: Event) -> None:
        """Add an event.

        Requires: the caller holds what orders it: the guard or the lease.
        """
        match event:
            case Swap(snapshot, parent, epoch):
                line = f"swap {snapshot} {parent or '-'} {epoch}\n"
            case Grant(epoch, pid):
                line = f"grant {epoch} {pid}\n"
            case Release(epoch, pid):
                line = f"release {epoch} {pid}\n"
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    def events(self) -> Iterator[Event]:
        """Yield all events in order."""
        for line in self._file.read_text().splitlines():
            match line.split():
                case ["swap", snapshot, parent, epoch]:
                    yield Swap(snapshot, None if parent == "-" else parent, int(epoch))
                case ["grant", epoch, pid]:
                    yield Grant(int(epoch), int(pid))
                case ["release", epoch, pid]:
                    yield Release(int(epoch), int(pid))
