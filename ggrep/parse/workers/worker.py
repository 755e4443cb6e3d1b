"""The worker: `python -m ggrep.parse.workers.worker [IDLE_SECONDS]`, fed through its pipes.

It cuts files, looks for names in them and tells what they define. It may be killed at any moment
and may crash on a hostile file; both cost one file its structure and nothing else. It imports no
database and no number library, so that starting one is cheap.
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
    OutlineQuestion,
    PlanQuestion,
    Question,
    body_length,
    decode_request,
    encode_occurrences,
    encode_outline,
    encode_plan,
    frame,
)

MEMORY_LIMIT_BYTES: Final = 1_400 * 1024**2
"""Address space of one worker; what a hostile file makes a grammar ask for beyond it fails."""


def _answer(body: bytes) -> bytes:
    question, cpu_ms = decode_request(body)
    prepare(question.path_key, question.data)
    with allowed(cpu_ms):
        return _answer_to(question)


def _answer_to(question: Question) -> bytes:
    path_key, data = question.path_key, question.data
    if isinstance(question, PlanQuestion):
        return encode_plan(chunk_file(path_key, data, question.limits))
    if isinstance(question, OutlineQuestion):
        return encode_outline(outline_file(path_key, data))
    found = mentions(path_key, data, question.name, any_case=question.any_case)
    return encode_occurrences(found)


def serve(
    requests: RawIOBase,
    answers: BinaryIO,
    idle_seconds: float | None = None,
    answer: Callable[[bytes], bytes] = _answer,
) -> None:
    """Say that this process has started, then answer in order.

    Args:
        requests: not buffered, so that what lies in it can be waited for; its end is ours.
        answers: where each goes.
        idle_seconds: end when nobody has asked for so long; None to wait for ever.
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
    """Return so many bytes, fewer at the stream's end."""
    data = bytearray(size)
    rest = memoryview(data)
    while rest and (count := stream.readinto(rest)):
        rest = rest[count:]
    return bytes(data[: size - len(rest)])


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


def confine(memory_bytes: int) -> None:
    """Bound this process' address space, write no core dumps and leave interrupts to others."""
    bound_memory(memory_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # An interrupt at the terminal reaches the whole process group; the parent decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})


def main(
    answer: Callable[[bytes], bytes] = _answer, memory_bytes: int = MEMORY_LIMIT_BYTES
) -> None:
    """Serve standard input and output."""
    confine(memory_bytes)
    idle_seconds = float(sys.argv[1]) if len(sys.argv) > 1 else None
    with open(0, "rb", buffering=0, closefd=False) as requests:
        serve(requests, sys.stdout.buffer, idle_seconds, answer)


if __name__ == "__main__":
    main()
