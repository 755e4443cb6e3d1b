"""Memory that mapped files take in this process, given back where it is not needed for now.

What was touched of a map stays in memory for as long as there is room. Where a thousand images are
looked at once each, as to find out what is in them, that is all of them.
"""

import numpy as np
import numpy.typing as npt

from ggrep.base.linux import forget_pages


def give_back(mapped: npt.NDArray[np.uint8]) -> None:
    """Let a map's pages go; what is touched again comes back from the file, or the page cache.

    Whether the kernel does it makes no difference but to memory.

    Requires: `mapped` is all of a file that is mapped and never written to. Memory of any other
        kind would be zeros afterwards.
    """
    if len(mapped):
        forget_pages(mapped.ctypes.data, len(mapped))
