"""The process that parses: `python -m ggrep.chunking.worker`, fed through its pipes.

It may be killed at any moment and may crash on a hostile file; both cost one file its structure
and nothing else. It imports no database and no number library, so that starting one is cheap.
"""

import resource
import signal
import sys
from typing import BinaryIO, Final

from ggrep.chunking.chunker import chunk_file
from ggrep.chunking.frames import (
    HEADER_BYTES,
    body_length,
    decode_request,
    encode_answer,
    frame,
)

MEMORY_LIMIT_BYTES: Final = 1_400 * 1024**2
"""Address space of one worker; what a hostile file makes a grammar ask for beyond it fails."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests in order until their stream ends."""
    while True:
        header = requests.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return
        path_key, data, limits = decode_request(requests.read(body_length(header)))
        # A parent that was killed can no longer kill us, and a hanging parser never sees the
        # end of its input: the alarm's default action ends the process even inside the parser.
        signal.setitimer(signal.ITIMER_REAL, 1 + limits.parse_timeout_ms / 500)
        plan = chunk_file(path_key, data, limits)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(frame(encode_answer(plan)))
        answers.flush()


def confine() -> None:
    """Bound this process' memory, have it write no core dumps and leave interrupts to others."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    bound = MEMORY_LIMIT_BYTES if most < 0 else min(MEMORY_LIMIT_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # An interrupt at the terminal reaches the whole process group; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def main() -> None:
    """Serve standard input and output."""
    confine()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
