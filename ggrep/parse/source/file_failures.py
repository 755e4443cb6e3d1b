"""Tells failures that concern the file itself from transient ones of the file system."""

import errno

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


def failure_reason(error: OSError) -> str:
    """Return the reason of a skip: `unreadable` or `read_failed`.

    A file that we may not read is left out like any other that is not ours to index. All else
    (no descriptors left, a disk that fails, a stale mount) says nothing about the file: to leave
    it out would empty the index over a bad minute.
    """
    return "unreadable" if error.errno in _FORBIDDEN else "read_failed"
