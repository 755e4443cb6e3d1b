"""Maps files into memory, and releases pages that are currently not needed.

A process maps thousands of images, so no file descriptor stays open.
"""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base.linux import forget_pages, mapped


def map_file(path: Path) -> npt.NDArray[np.uint8]:
    """Return a file's bytes, mapped and read-only; an empty array for an empty file.

    Raises:
        OSError: the file cannot be opened or mapped.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return np.frombuffer(mapped(file.fileno(), size) if size else b"", dtype=np.uint8)


def give_back(data: npt.NDArray[np.uint8]) -> None:
    """Release a map's pages; a later access reads them from the file or the page cache again.

    Requires: `data` is a whole mapped file that is never written to. Memory that is not backed by
    such a file would contain zeros afterwards.
    """
    if len(data):
        forget_pages(data.ctypes.data, len(data))
