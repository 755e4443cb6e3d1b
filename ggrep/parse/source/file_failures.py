"""Distinguishes permanent failures of one file from temporary failures of the file system."""

import errno

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


def failure_reason(error: OSError) -> str:
    """Return the reason of a skip: `unreadable` or `read_failed`.

    A file without read permission is skipped like any ineligible file. Every other failure (no free
    descriptors, a failing disk, a stale mount) counts as temporary: if such a file counted as
    deleted, a short outage would empty the index.
    """
    return "unreadable" if error.errno in _FORBIDDEN else "read_failed"
