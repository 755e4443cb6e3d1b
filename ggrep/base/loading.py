"""Loading of modules that make many objects, most of which stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no garbage while modules are loaded, which takes a sixth of that time.

    Threads may do so at once: the first of them has it looked for again.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
