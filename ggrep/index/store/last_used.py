"""Records the time of a store's last use; the least recently used stores are deleted first.

The record has a precision of an hour, so that not every query writes it. The record is not part of
a snapshot. Without a record, the time of the store's last publish counts.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ggrep.base import durable
from ggrep.base.clock import rfc3339
from ggrep.config import store_files

_COARSENESS = timedelta(hours=1)
_LENGTH = len("2000-01-01T00:00:00Z")


def note_use(store: Path, now: datetime) -> None:
    """Record that a store was used, unless the record is less than an hour old.

    If the store cannot be written, no record is written. A deleted store is not created again.
    """
    last = read_last_use(store)
    if last is not None and abs(now - last) < _COARSENESS:
        return
    file = store_files.last_used_file(store)
    with suppress(OSError):
        with suppress(FileExistsError):
            durable.create_directory(file.parent)
        durable.replace_file(file, f"{rfc3339(now)}\n".encode("ascii"), lasting=False)


def read_last_use(store: Path) -> datetime | None:
    """Return when a store was last used, to the hour; None without a record."""
    try:
        text = store_files.last_used_file(store).read_bytes()[:_LENGTH].decode("ascii")
        moment = datetime.fromisoformat(text)
    except (OSError, ValueError):
        return None
    return moment if moment.tzinfo == UTC else None


def modified_at(store: Path) -> datetime:
    """Return when a store last changed: the modification time of its newest file.

    Raises:
        OSError: the store does not exist.
    """
    newest = store.stat().st_mtime
    for file in (store_files.active_file(store), store_files.index_state_file(store)):
        with suppress(OSError):
            newest = max(newest, file.stat().st_mtime)
    return datetime.fromtimestamp(newest, UTC)
