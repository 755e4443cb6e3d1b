"""Maps files into memory, and returns memory that is not needed for now.

No descriptor stays open: a host maps thousands of images, and the maps of Python's own module and
of numpy hold one each.
"""

import ctypes
import os
import weakref
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ggrep.base.linux import forget_pages

_PROT_READ = 1
_MAP_SHARED = 1
_FAILED = ctypes.c_void_p(-1).value


def map_file(path: Path) -> npt.NDArray[np.uint8]:
    """Return a file's bytes, mapped and read-only; an empty array for an empty file.

    The map lasts as long as the array or a view of it.

    Raises:
        OSError: the file cannot be opened or mapped.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return np.zeros(0, dtype=np.uint8)
        address = _library().mmap(None, size, _PROT_READ, _MAP_SHARED, file.fileno(), 0)
    if address == _FAILED:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(path))
    memory = (ctypes.c_ubyte * size).from_address(address)
    # At the end of the process other threads may still read; the kernel unmaps then.
    weakref.finalize(memory, _library().munmap, address, size).atexit = False
    mapped = np.frombuffer(memoryview(memory), dtype=np.uint8)
    mapped.flags.writeable = False
    return mapped


@cache
def _library() -> Any:  # noqa: ANN401 - ctypes has no types for functions of a library
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (
        *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int),
        ctypes.c_int64,
    )
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    return library


def give_back(mapped: npt.NDArray[np.uint8]) -> None:
    """Let a map's pages go; what is touched again comes back from the file, or the page cache.

    Requires: `mapped` is all of a file that is mapped and never written to. Memory of any other
        kind would be zeros afterwards.
    """
    if len(mapped):
        forget_pages(mapped.ctypes.data, len(mapped))
