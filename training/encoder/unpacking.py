"""A package's sources, written from its archive into a folder of their own."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from training.encoder.archives import Archive, Member, is_wrapped, opened
from training.encoder.shares import Share
from training.encoder.wanted import (
    MAX_FILE_BYTES,
    compiled_beside,
    is_excluded,
    is_shell,
    is_source,
    is_written,
    may_be_script,
    safe_parts,
)

_PACKAGING: Final = "debian"
_HEAD_BYTES: Final = 64
_WHOLE: Final = Share()


class Unpacked(Struct, frozen=True):
    """How many regular files an archive gave.

    Attributes:
        files: that were written.
        dropped: that were not.
    """

    files: int
    dropped: int


def unpack(
    archive: Path,
    folder: Path,
    exclusions: frozenset[str],
    *,
    share: Share = _WHOLE,
) -> Unpacked:
    """Write an archive's sources into a new folder and say how many there were.

    Of an archive with more sources than its share allows, those are written whose paths have the
    lowest digests: the same ones each time, and from all over the tree. A shell script without a
    suffix gets one, by which others know what it is.

    Args:
        archive: a tarball, zip file, wheel or Debian package.
        folder: is made; the folder in which a tarball wraps all its files is left out.
        exclusions: names that no folder or file may have, as `read_exclusions` gives them.
        share: what of the sources is written.

    Raises:
        UsageError: the folder holds something, or the archive cannot be unpacked.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: not empty")
    with opened(archive) as source:
        members = source.members()
        paths = _own_paths(members, wrapped=is_wrapped(archive))
        kept = _kept(members, paths, exclusions, share)
        chosen = _chosen(members, _named(source, kept), share.max_bytes)
        contents = source.contents(frozenset(chosen), MAX_FILE_BYTES + 1)
        folder.mkdir(parents=True, exist_ok=True)
        written = sum(_write(folder, chosen[path], data) for path, data in contents)
    return Unpacked(files=written, dropped=len(members) - written)


def _own_paths(members: Iterable[Member], *, wrapped: bool) -> dict[str, tuple[str, ...]]:
    """Return the parts below the archive's own folder of each member that may be written."""
    safe = {each.path: parts for each in members if (parts := safe_parts(each.path))}
    tops = {parts[0] for parts in safe.values()}
    if not wrapped or len(tops) != 1:
        return safe
    return {path: parts[1:] for path, parts in safe.items() if len(parts) > 1}


def _kept(
    members: Iterable[Member],
    paths: Mapping[str, tuple[str, ...]],
    exclusions: frozenset[str],
    share: Share,
) -> dict[str, tuple[str, ...]]:
    """Return the paths of what may be sources; scripts are told by their text only."""
    small = {each.path for each in members if each.size <= MAX_FILE_BYTES}
    return {
        path: parts
        for path, parts in paths.items()
        if path in small
        and parts[0].lower() != _PACKAGING
        and share.covers("/".join(parts))
        and (is_source(parts) or may_be_script(parts))
        and not is_excluded(parts, exclusions)
    }


def _named(source: Archive, kept: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the sources among paths, each under the name that it is written by."""
    named = {path: parts for path, parts in kept.items() if is_source(parts)}
    taken = set(named.values())
    others = frozenset(kept.keys() - named.keys())
    for path, head in source.contents(others, _HEAD_BYTES) if others else ():
        *folders, name = kept[path]
        parts = (*folders, f"{name}.sh")
        if is_shell(head) and parts not in taken:
            named[path] = parts
    return named


def _chosen(
    members: Iterable[Member], named: Mapping[str, tuple[str, ...]], max_bytes: int
) -> dict[str, tuple[str, ...]]:
    """Return what is written, and under which name."""
    sizes = {each.path: each.size for each in members}
    compiled = compiled_beside(named.values())
    chosen: dict[str, tuple[str, ...]] = {}
    left = max_bytes
    for path in sorted(named, key=_digest):
        if named[path] not in compiled and sizes[path] <= left:
            chosen[path] = named[path]
            left -= sizes[path]
    return chosen


def _digest(path: str) -> bytes:
    return hashlib.sha256(path.encode("utf-8", "replace")).digest()


def _write(folder: Path, parts: tuple[str, ...], data: bytes) -> bool:
    """Write one file; False when its text is not wanted or a file stands where a folder must."""
    path = folder.joinpath(*parts)
    if not is_written(data):
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return False
    return True
