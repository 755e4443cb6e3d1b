"""Separates permanent failures of one file from transient ones of the file system."""

import errno

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


def failure_reason(error: OSError) -> str:
    """Return the reason of a skip: `unreadable` or `read_failed`.

    A file without read permission is left out like any other that is not for the index. Every other
    failure (no descriptors left, a failing disk, a stale mount) is not about the file: to leave the
    file out would empty the index during a short outage.
    """
    return "unreadable" if error.errno in _FORBIDDEN else "read_failed"
