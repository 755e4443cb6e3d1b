"""The name search worker: `python -m ggrep.parse.chunking.occurrence_worker`.

Like the one that chunks it may be killed at any moment, and costs one file its syntax at most. It
ends by itself when nobody has asked it anything for a while: what asked it lives on for days.
"""

import select
import sys
from typing import BinaryIO, Final

from ggrep.parse.chunking.chunker import prepare
from ggrep.parse.chunking.occurrence_frames import decode_question, encode_mentions
from ggrep.parse.chunking.occurrences import mentions
from ggrep.parse.chunking.parse_worker import allowed, confine
from ggrep.parse.chunking.pool_frames import HEADER_BYTES, HELLO, body_length, frame

IDLE_SECONDS: Final = 300


def serve(questions: BinaryIO, answers: BinaryIO, idle_seconds: float = IDLE_SECONDS) -> None:
    """Say that this process has started, then answer in order.

    It ends when the stream of questions ends or nothing comes for so long.
    """
    answers.write(HELLO)
    answers.flush()
    while select.select([questions], [], [], idle_seconds)[0]:
        header = _exactly(questions, HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return
        question, cpu_ms = decode_question(_exactly(questions, body_length(header)))
        prepare(question.path_key, question.data)
        with allowed(cpu_ms):
            found = mentions(
                question.path_key, question.data, question.name, any_case=question.any_case
            )
        answers.write(frame(encode_mentions(found)))
        answers.flush()


def _exactly(stream: BinaryIO, size: int) -> bytes:
    """Return so many bytes, fewer at the stream's end; it is not buffered, or none would wait."""
    parts, left = [], size
    while left:
        part = stream.read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def main() -> None:
    """Serve standard input and output under a bound on memory."""
    confine()
    with open(0, "rb", buffering=0, closefd=False) as questions:
        serve(questions, sys.stdout.buffer)


if __name__ == "__main__":
    main()
