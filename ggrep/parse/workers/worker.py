"""The worker process: `python -m ggrep.parse.workers.worker [IDLE_SECONDS]`.

The process reads requests from its standard input; it cuts files into chunks, searches files for
names, and outlines files. The process can be killed at any moment, and can crash on a hostile file;
only this file is then handled without its structure. The program imports neither a database nor
numpy, so it starts fast.
"""

import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import RawIOBase
from typing import BinaryIO, Final

from ggrep.base.linux import bound_memory
from ggrep.parse.chunking.chunker import chunk_file, prepare
from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.occurrences.occurrences import mentions
from ggrep.parse.workers.jobs import (
    HEADER_BYTES,
    HELLO,
    OutlineRequest,
    PlanRequest,
    Request,
    body_length,
    decode_request,
    encode_occurrences,
    encode_outline,
    encode_plan,
    frame,
)

MEMORY_LIMIT_BYTES: Final = 1_400 * 1024**2
"""Maximum address space of one worker; larger allocations of a grammar for a hostile file fail."""


def _answer(body: bytes) -> bytes:
    request, cpu_ms = decode_request(body)
    prepare(request.path_key, request.data)
    with allowed(cpu_ms):
        return _answer_to(request)


def _answer_to(request: Request) -> bytes:
    path_key, data = request.path_key, request.data
    if isinstance(request, PlanRequest):
        return encode_plan(chunk_file(path_key, data, request.limits))
    if isinstance(request, OutlineRequest):
        return encode_outline(outline_file(path_key, data))
    occurrences = mentions(path_key, data, request.name, any_case=request.any_case)
    return encode_occurrences(occurrences)


def serve(
    requests: RawIOBase,
    answers: BinaryIO,
    idle_seconds: float | None = None,
    answer: Callable[[bytes], bytes] = _answer,
) -> None:
    """Send the first frame, then answer requests in order until the input ends.

    Args:
        requests: the unbuffered input, so that `select` detects all pending bytes.
        answers: the output for answers.
        idle_seconds: time without a request after which to end; None to wait without limit.
        answer: returns the body of the answer to a request's body.
    """
    answers.write(HELLO)
    answers.flush()
    while select.select([requests], [], [], idle_seconds)[0]:
        header = _exactly(requests, HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return
        answers.write(frame(answer(_exactly(requests, body_length(header)))))
        answers.flush()


def _exactly(stream: RawIOBase, size: int) -> bytes:
    """Return `size` bytes, or fewer at the end of the stream."""
    data = bytearray(size)
    rest = memoryview(data)
    while rest and (count := stream.readinto(rest)):
        rest = rest[count:]
    return bytes(data[: size - len(rest)])


@contextmanager
def allowed(cpu_ms: int) -> Iterator[None]:
    """End this process by SIGPROF if the block takes more than `cpu_ms` of processor time.

    The kernel ends the process even if a parser hangs, or if the parent process has ended.
    The processor time of other processes does not count.
    """
    signal.setitimer(signal.ITIMER_PROF, cpu_ms / 1000)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def confine(memory_bytes: int) -> None:
    """Limit this process's address space, disable core dumps and ignore interrupts."""
    bound_memory(memory_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # An interrupt at the terminal is sent to the whole process group; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})


def main(
    answer: Callable[[bytes], bytes] = _answer, memory_bytes: int = MEMORY_LIMIT_BYTES
) -> None:
    """Answer requests from standard input on standard output."""
    confine(memory_bytes)
    idle_seconds = float(sys.argv[1]) if len(sys.argv) > 1 else None
    with open(0, "rb", buffering=0, closefd=False) as requests:
        serve(requests, sys.stdout.buffer, idle_seconds, answer)


if __name__ == "__main__":
    main()
