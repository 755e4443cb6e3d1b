"""When a store was last used, which decides which stores of a home are deleted first.

The record is coarse, so that queries do not write each time, and it is no part of a snapshot:
losing it makes a store look as old as its last publish.
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
    """Write down that a store was used, unless that was said within the last hour.

    A store that cannot be written is used without a trace, and one that is gone stays gone.
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
    """Return when a store was last used, to the hour; None when nobody wrote that down."""
    try:
        text = store_files.last_used_file(store).read_bytes()[:_LENGTH].decode("ascii")
        found = datetime.fromisoformat(text)
    except (OSError, ValueError):
        return None
    return found if found.tzinfo == UTC else None


def modified_at(store: Path) -> datetime:
    """Return when something of a store was last published or removed: the newest of its files.

    Raises:
        OSError: the store is gone.
    """
    newest = store.stat().st_mtime
    for file in (store_files.active_file(store), store_files.index_state_file(store)):
        with suppress(OSError):
            newest = max(newest, file.stat().st_mtime)
    return datetime.fromtimestamp(newest, UTC)
