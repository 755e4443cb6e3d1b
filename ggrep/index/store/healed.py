"""A record of the last repair in a store, for health; derived, safe to delete."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ggrep.base import durable, stable_json
from ggrep.base.clock import rfc3339
from ggrep.config.layout import names


@dataclass(frozen=True, slots=True)
class Healed:
    """Derived files that were made again because they were lost or damaged.

    Attributes:
        files: how many, since the record began.
        last: the latest of them, as the manifest names it.
        at: when that was; UTC.
    """

    files: int
    last: str
    at: datetime


def note_healed(store: Path, file: str, now: datetime) -> None:
    """Take note of one; a store that cannot be written is healed without a trace.

    Requires: nobody else heals the store meanwhile.
    """
    before = read_healed(store)
    path = names.healed_file(store)
    record: stable_json.Json = {
        "files": (before.files if before else 0) + 1,
        "last": file,
        "at": rfc3339(now),
    }
    with suppress(OSError):
        durable.make_directory(path.parent)
        durable.replace_file(path, stable_json.dumps(record))


def read_healed(store: Path) -> Healed | None:
    """Return the record; None where nothing was healed, or it cannot be read."""
    try:
        found = stable_json.loads(names.healed_file(store).read_bytes())
        return Healed(int(found["files"]), str(found["last"]), datetime.fromisoformat(found["at"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None
