"""A cache of the stats of files, so that unchanged files are not read again.

If the cache is missing or damaged, more files are read, and results stay correct. An entry is
stored only if the file was older than RACY_NS when it was read. Without this rule, a file that
changes twice within one tick of the file system's clock could seem unchanged.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.ids import PathKey
from ggrep.model.files import SkippedFile, SourceFile

RACY_NS = 100_000_000
PUT_OFF = "put_off"
"""Reason of a `KnownSkip` for a file that was not parsed in time."""


class KnownFile(Struct, frozen=True):
    """The stat and the digest of a file at the time at which it was read."""

    file: SourceFile
    digest: str


class KnownSkip(Struct, frozen=True):
    """The stat of a file that was read but not indexed, because it is not text or was put off."""

    file: SourceFile
    skip: SkippedFile


Known = KnownFile | KnownSkip


def is_put_off(memory: Known) -> bool:
    """Return whether the file was only put off, because its parser had no CPU time."""
    return isinstance(memory, KnownSkip) and memory.skip.reason == PUT_OFF


def load(path: Path) -> dict[PathKey, Known]:
    """Return the recorded files; none if the cache cannot be read."""
    try:
        values = stable_json.loads(path.read_bytes())
        return {PathKey(key): _known(PathKey(key), *row) for key, row in values.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save(path: Path, known: Mapping[PathKey, Known], *, read_at_ns: int) -> None:
    """Store `known` without files that were younger than RACY_NS at `read_at_ns`."""
    settled: dict[str, stable_json.Json] = {
        key: _row(item)
        for key, item in known.items()
        if max(item.file.mtime_ns, item.file.ctime_ns) + RACY_NS < read_at_ns
    }
    durable.replace_if_changed(path, stable_json.dumps(settled))


def _known(
    key: PathKey, size: int, mtime_ns: int, ctime_ns: int, inode: int, what: str, *detail: str
) -> Known:
    file = SourceFile(key, size, mtime_ns, ctime_ns, inode)
    return KnownSkip(file, SkippedFile(key, what, *detail)) if detail else KnownFile(file, what)


def _row(item: Known) -> stable_json.Json:
    file = item.file
    stat: list[stable_json.Json] = [file.size_bytes, file.mtime_ns, file.ctime_ns, file.inode]
    if isinstance(item, KnownSkip):
        return [*stat, item.skip.reason, item.skip.detail]
    return [*stat, item.digest]
