"""The parse worker: `python -m ggrep.parse.chunking.parse_worker`, fed through its pipes.

It may be killed at any moment and may crash on a hostile file; both cost one file its structure
and nothing else. It imports no database and no number library, so that starting one is cheap.
"""

import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from ggrep.parse.chunking.chunker import chunk_file, prepare
from ggrep.parse.chunking.pool_frames import (
    HEADER_BYTES,
    HELLO,
    body_length,
    decode_request,
    encode_answer,
    frame,
)

MEMORY_LIMIT_BYTES: Final = 1_400 * 1024**2
"""Address space of one worker; what a hostile file makes a grammar ask for beyond it fails."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Say that this process has started, then answer requests in order until their stream ends."""
    answers.write(HELLO)
    answers.flush()
    while True:
        header = requests.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return
        path_key, data, limits, cpu_ms = decode_request(requests.read(body_length(header)))
        prepare(path_key, data)
        with allowed(cpu_ms):
            plan = chunk_file(path_key, data, limits)
        answers.write(frame(encode_answer(plan)))
        answers.flush()


@contextmanager
def allowed(cpu_ms: int) -> Iterator[None]:
    """End this process by SIGPROF should the block take more of its own processor time than that.

    The kernel does so even inside a parser that hangs, and after the death of the parent. What
    other processes take of the machine does not count.
    """
    signal.setitimer(signal.ITIMER_PROF, cpu_ms / 1000)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def confine() -> None:
    """Bound this process' memory, have it write no core dumps and leave interrupts to others."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = MEMORY_LIMIT_BYTES if most < 0 else min(MEMORY_LIMIT_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # An interrupt at the terminal reaches the whole process group; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})


def main() -> None:
    """Serve standard input and output."""
    confine()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
