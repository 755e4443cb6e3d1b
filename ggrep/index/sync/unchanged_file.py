"""The file that lets a later sync prove that nothing changed.

Derived: where it is missing or damaged, the next sync walks the tree.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ggrep.base import durable, stable_json
from ggrep.model.source import Skip
from ggrep.parse.source.stamps import Stamp

_VERSION = 4
"""1: the first. 2: by name go only files and directories of the walk, all else by
digests. 3: of trees outside git too. 4: with the files in directories of products."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """All that has to be as it was for a snapshot to be up to date.

    Attributes:
        settings: digest of the settings in force.
        user: effective user id; another may not be able to read what this one did.
        root: device and inode of the root.
        git: git listed the tree; where it did not, `tree` has all files of the walk.
        filters: configuration keys of the repository's filter programs.
        changed: digest of git's list of tracked files that are not as its index has them.
        others: digest of git's list of untracked files.
        files: digest of the stamps of git's own files and the store's, see `files_digest`.
        tree: stamps of directories, ignore files, and files of the walk that git does not watch
            for us, by path below the root.
        beside: digest of what else git told of, and its stamps. Its names may be of anything: an
            index can be another repository's.
        unchanged, chunks, segments, skipped, products: what the sync of an unchanged tree reports.
    """

    snapshot_id: str
    settings: str
    user: int
    root: tuple[int, int]
    git: bool
    filters: tuple[str, ...]
    changed: str
    others: str
    files: str
    tree: Mapping[str, Stamp | None]
    beside: str
    unchanged: int
    chunks: int
    segments: int
    skipped: tuple[Skip, ...]
    products: tuple[str, ...] | None


def save(path: Path, record: Unchanged) -> None:
    """Write the record, unless it lies there already.

    Raises:
        OSError: it cannot be written.
        TypeError: it holds a name that is not UTF-8.
    """
    # `asdict` would copy each of many thousand stamps.
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    values |= {"skipped": list(map(asdict, record.skipped)), "version": _VERSION}
    body = stable_json.dumps(values)
    data = _digest(body) + b"\n" + body
    if path.is_file() and path.read_bytes() == data:
        return
    durable.make_directory(path.parent)
    durable.replace_file(path, data)


def load(path: Path) -> Unchanged | None:
    """Return the record; None when it is missing, damaged or of another version.

    The digest stands for the types of what is read: nobody but `save` writes one that fits.
    """
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest != _digest(body):
            return None
        values = stable_json.loads(body)
        if values.pop("version") != _VERSION:
            return None
        values["root"] = tuple(values["root"])
        values["filters"] = tuple(values["filters"])
        values["tree"] = _stamps(values["tree"])
        values["skipped"] = tuple(Skip(**skip) for skip in values["skipped"])
        if values["products"] is not None:
            values["products"] = tuple(values["products"])
        return Unchanged(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode("ascii")


def _stamps(values: Mapping[str, list[int] | None]) -> dict[str, Stamp | None]:
    return {path: None if found is None else _stamp(*found) for path, found in values.items()}


def _stamp(size: int, mtime_ns: int, ctime_ns: int, inode: int) -> Stamp:
    return size, mtime_ns, ctime_ns, inode
