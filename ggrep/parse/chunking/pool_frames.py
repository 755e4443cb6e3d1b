"""Frames between the pool and its workers: a 4-byte big-endian length, then that many bytes.

A worker that has started says so with an empty frame. A request holds one line of JSON (the path
key, the limits and the processor time that the file may take) and the file's bytes behind it. An
answer holds a plan as JSON.
"""

import struct
from typing import Final

from ggrep.base.stable_json import dumps, loads
from ggrep.parse.chunking.chunk_limits import ChunkLimits
from ggrep.parse.chunking.spans import Plan, plan_from_json, plan_to_json

HEADER_BYTES: Final = 4
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
HELLO: Final = b"\0" * HEADER_BYTES
"""What a worker says first."""

_LENGTH: Final = struct.Struct(">I")


def frame(body: bytes) -> bytes:
    """Return `body` behind its length."""
    return _LENGTH.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """Return how many bytes follow the header."""
    length: int = _LENGTH.unpack(header)[0]
    return length


def encode_request(path_key: str, data: bytes, limits: ChunkLimits, cpu_ms: int) -> bytes:
    """Return the body of a request that may take `cpu_ms` of processor time."""
    head: dict[str, str | int] = {
        "path_key": path_key,
        "max_lines": limits.max_lines,
        "max_bytes": limits.max_bytes,
        "max_chunks_per_file": limits.max_chunks_per_file,
        "cpu_ms": cpu_ms,
    }
    return dumps(head) + b"\n" + data


def decode_request(body: bytes) -> tuple[str, bytes, ChunkLimits, int]:
    """Return path key, file bytes, limits and milliseconds of processor time of a request."""
    line, _, data = body.partition(b"\n")
    head = loads(line)
    path_key, cpu_ms = head.pop("path_key"), head.pop("cpu_ms")
    return path_key, data, ChunkLimits(**head), cpu_ms


def encode_answer(plan: Plan) -> bytes:
    """Return the body of an answer."""
    return dumps(plan_to_json(plan))


def decode_answer(body: bytes) -> Plan:
    """Return the plan an answer holds.

    Raises:
        ValueError, TypeError: the body is no answer.
    """
    return plan_from_json(loads(body))
