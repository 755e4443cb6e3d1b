"""Where tests write: in memory where there is room, for they sync thousands of small files.

`TMPDIR` names another place, such as a disk.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")  # noqa: S108 - names below it are made by `tempfile`
_ENOUGH_BYTES = 4 << 30
_SHORT = 16
"""Characters of a directory below which sockets may lie in directories of a home."""


def use_memory() -> None:
    roomy = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ENOUGH_BYTES
    if roomy and "TMPDIR" not in os.environ:
        tempfile.tempdir = str(_MEMORY)


@contextmanager
def short_directory() -> Iterator[Path]:
    """Yield a new canonical directory, so short a path that sockets lie below it."""
    base = tempfile.gettempdir()
    if len(base) > _SHORT:
        base = "/tmp"  # noqa: S108 - as above
    with tempfile.TemporaryDirectory(prefix="gg-", dir=base, ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where stores and sockets go."""
    with short_directory() as base:
        yield base / "home"
