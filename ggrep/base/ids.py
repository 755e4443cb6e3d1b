"""Identifiers. Each identifier is a str at run time and has its own type for type checkers."""

import re
from typing import NewType

from ggrep.base.errors import InvalidRequest

SnapshotId = NewType("SnapshotId", str)
StoreId = NewType("StoreId", str)
RepoId = NewType("RepoId", str)
PathKey = NewType("PathKey", str)
"""A file's path below its root: `/` separators, no `.` or `..` part, valid UTF-8."""
SegmentName = NewType("SegmentName", str)
RowId = NewType("RowId", str)

_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


def parse_snapshot_id(text: str) -> SnapshotId:
    """Return `text` as a SnapshotId (26 Crockford base-32 characters).

    Raises:
        InvalidRequest: `text` is not a snapshot id.
    """
    if not _ULID.fullmatch(text):
        raise InvalidRequest(f"invalid snapshot id: {text!r}")
    return SnapshotId(text)
