"""Threads of a daemon allocate from one heap."""

import subprocess
import sys

_SCRIPT = """
import threading
from ggrep.base.linux import share_one_heap

def heap():
    for line in open("/proc/self/maps"):
        if line.rstrip().endswith("[heap]"):
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            return end - start
    return 0

if {shared}:
    share_one_heap()
before, kept = heap(), []
# Pieces that are too small to be mapped by themselves.
thread = threading.Thread(target=lambda: kept.extend(bytearray(50_000) for _ in range(400)))
thread.start()
thread.join()
print(heap() - before)
"""


def _grown(*, shared: bool) -> int:
    """Return how many bytes 20 MB of a thread add to the heap of a process."""
    line = [sys.executable, "-c", _SCRIPT.format(shared=shared)]
    return int(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def test_a_thread_allocates_from_the_heap_of_the_process() -> None:
    """Its memory is used again by other threads, and not kept for it alone."""
    assert _grown(shared=False) < 10_000_000
    assert _grown(shared=True) >= 19_000_000
