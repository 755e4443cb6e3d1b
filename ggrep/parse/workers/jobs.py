"""Encodes and decodes requests to a worker and its answers.

A frame is a 4-byte big-endian length, then that many bytes. The first frame of a worker is empty
and shows that it has started. A request is one line of JSON (the maximum processor time for the
file, and the kind of request), then the file's bytes. An answer is JSON: the plan of a file's
chunks, the occurrences of a name, or the file's definitions.
"""

import struct
from typing import Final, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import asdict, astuple

from ggrep.base.stable_json import Json, decode, dumps, loads
from ggrep.parse.chunking.file_outline import Outlined
from ggrep.parse.chunking.spans import Plan, plan_from_json, plan_to_json
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.occurrences.words import Occurrence

HEADER_BYTES: Final = 4
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
HELLO: Final = b"\0" * HEADER_BYTES
"""The first frame of a worker."""

_LENGTH: Final = struct.Struct(">I")


class PlanRequest(Struct, frozen=True):
    """Requests the chunks of a file."""

    path_key: str
    data: bytes
    limits: ChunkLimits


class OccurrenceRequest(Struct, frozen=True):
    """Requests the occurrences of a name in a file.

    Attributes:
        path_key: the path, on which the file's language depends.
        name: the requested name, with its qualifiers.
        any_case: whether to match the name in any letter case.
    """

    path_key: str
    data: bytes
    name: str
    any_case: bool = False


class OutlineRequest(Struct, frozen=True):
    """Requests the definitions of a file."""

    path_key: str
    data: bytes


Request: TypeAlias = PlanRequest | OccurrenceRequest | OutlineRequest


def frame(body: bytes) -> bytes:
    """Return a frame: `body` after its length."""
    return _LENGTH.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """Return the number of bytes after the header."""
    length: int = _LENGTH.unpack(header)[0]
    return length


def encode_request(request: Request, cpu_ms: int) -> bytes:
    """Return the body of a request, with a limit of `cpu_ms` of processor time."""
    asked: dict[str, Json]
    if isinstance(request, PlanRequest):
        asked = {"limits": asdict(request.limits)}
    elif isinstance(request, OutlineRequest):
        asked = {"outline": True}
    else:
        asked = {"name": request.name, "any_case": request.any_case}
    head: Json = {"path_key": request.path_key, "cpu_ms": cpu_ms, **asked}
    return dumps(head) + b"\n" + request.data


def decode_request(body: bytes) -> tuple[Request, int]:
    """Return the request, and the limit of its processor time in milliseconds."""
    line, _, data = body.partition(b"\n")
    head = loads(line)
    path_key, cpu_ms = head.pop("path_key"), head.pop("cpu_ms")
    if "limits" in head:
        return PlanRequest(path_key, data, ChunkLimits(**head["limits"])), cpu_ms
    if "outline" in head:
        return OutlineRequest(path_key, data), cpu_ms
    return OccurrenceRequest(path_key, data, **head), cpu_ms


def encode_plan(plan: Plan) -> bytes:
    """Return the body of the answer to a `PlanRequest`."""
    return dumps(plan_to_json(plan))


def decode_plan(body: bytes) -> Plan:
    """Return the plan in an answer.

    Raises:
        ValueError, TypeError: the body is not an answer.
    """
    return plan_from_json(loads(body))


def encode_occurrences(occurrences: tuple[Occurrence, ...]) -> bytes:
    """Return the body of the answer to an `OccurrenceRequest`."""
    return dumps([_plain(occurrence) for occurrence in occurrences])


def decode_occurrences(body: bytes) -> tuple[Occurrence, ...]:
    """Return the occurrences in an answer.

    Raises:
        ValueError, TypeError: the body is not an answer.
    """
    return decode(tuple[Occurrence, ...], loads(body))


def encode_outline(outline: tuple[Outlined, ...]) -> bytes:
    """Return the body of the answer to an `OutlineRequest`."""
    return dumps(
        [
            [
                *(item.depth, item.kind, _valid(item.name), _valid(item.signature)),
                *(item.start_line, item.end_line),
            ]
            for item in outline
        ]
    )


def decode_outline(body: bytes) -> tuple[Outlined, ...]:
    """Return the definitions in an answer.

    Raises:
        ValueError, TypeError: the body is not an answer.
    """
    return tuple(Outlined(*item) for item in loads(body))


def _plain(value: object) -> Json:
    match value:
        case str():
            return _valid(value)
        case Struct():
            return [_plain(each) for each in astuple(value)]
        case tuple():
            return [_plain(each) for each in value]
        case _:
            return cast("Json", value)


def _valid(text: str) -> str:
    """Return a text with `?` for each byte of a name that is not valid UTF-8, as JSON requires."""
    return text.encode("utf-8", "replace").decode()
