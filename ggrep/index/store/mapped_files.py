"""Maps files into memory, and returns memory that is not needed for now.

A host maps thousands of images; no descriptor stays open.
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
    """Let a map's pages go; what is touched again comes back from the file, or the page cache.

    Requires: `data` is all of a file that is mapped and never written to. Memory of any other
        kind would be zeros afterwards.
    """
    if len(data):
        forget_pages(data.ctypes.data, len(data))
