"""How much memory, how many threads and descriptors a process has."""

import ctypes
import gc
import sys
from pathlib import Path

import pytest
from msgspec import Struct


class _MallocInfo(ctypes.Structure):
    """What glibc's `mallinfo2` returns."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


class InUse(Struct, frozen=True):
    """What this process has allocated and not given back; free memory that it keeps is not in it.

    Attributes:
        native_bytes: of `malloc`: Rust's, numpy's and Python's larger values.
        python_blocks: Python's small values.
    """

    native_bytes: int
    python_blocks: int


def in_use() -> InUse:
    """Return what this process holds, garbage excepted; skip the test where none can tell."""
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("only glibc tells how much of its memory is in use")
    ask.restype = _MallocInfo
    gc.collect()
    info = ask()
    return InUse(info.uordblks + info.hblkhd, sys.getallocatedblocks())


def anonymous_kb(pid: int) -> int:
    """Return the memory of a process that is no file's, in kilobytes."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1])
    raise AssertionError(f"process {pid} has no memory")


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))
