"""Requests to and answers from a worker.

A frame is a 4-byte big-endian length, then that many bytes; a worker that has started says so with
an empty one. A request holds one line of JSON (the processor time that the file may take, and what
is asked about it) and the file's bytes behind it. An answer is JSON: the plan of a file's chunks,
the places of a name, or the file's definitions.
"""

import struct
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base.stable_json import Json, dumps, loads
from ggrep.parse.chunking.file_outline import Outlined
from ggrep.parse.chunking.spans import Plan, plan_from_json, plan_to_json
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.occurrences.words import Defined, Occurrence

HEADER_BYTES: Final = 4
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
HELLO: Final = b"\0" * HEADER_BYTES
"""What a worker says first."""

_LENGTH: Final = struct.Struct(">I")


class PlanQuestion(Struct, frozen=True):
    """How is a file cut?"""

    path_key: str
    data: bytes
    limits: ChunkLimits


class OccurrenceQuestion(Struct, frozen=True):
    """Where does a name stand in a file?

    Attributes:
        path_key: what the file is read as depends on it.
        name: as requested, with what qualifies it.
        any_case: take other spellings in upper and lower case too.
    """

    path_key: str
    data: bytes
    name: str
    any_case: bool = False


class OutlineQuestion(Struct, frozen=True):
    """What does a file define?"""

    path_key: str
    data: bytes


Question: TypeAlias = PlanQuestion | OccurrenceQuestion | OutlineQuestion


def frame(body: bytes) -> bytes:
    """Return `body` behind its length."""
    return _LENGTH.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """Return how many bytes follow the header."""
    length: int = _LENGTH.unpack(header)[0]
    return length


def encode_request(question: Question, cpu_ms: int) -> bytes:
    """Return the body of a request that may take `cpu_ms` of processor time."""
    asked: dict[str, Json]
    if isinstance(question, PlanQuestion):
        asked = {"limits": asdict(question.limits)}
    elif isinstance(question, OutlineQuestion):
        asked = {"outline": True}
    else:
        asked = {"name": question.name, "any_case": question.any_case}
    head: Json = {"path_key": question.path_key, "cpu_ms": cpu_ms, **asked}
    return dumps(head) + b"\n" + question.data


def decode_request(body: bytes) -> tuple[Question, int]:
    """Return the question and its milliseconds of processor time."""
    line, _, data = body.partition(b"\n")
    head = loads(line)
    path_key, cpu_ms = head.pop("path_key"), head.pop("cpu_ms")
    if "limits" in head:
        return PlanQuestion(path_key, data, ChunkLimits(**head["limits"])), cpu_ms
    if "outline" in head:
        return OutlineQuestion(path_key, data), cpu_ms
    return OccurrenceQuestion(path_key, data, **head), cpu_ms


def encode_plan(plan: Plan) -> bytes:
    """Return the body of an answer about chunks."""
    return dumps(plan_to_json(plan))


def decode_plan(body: bytes) -> Plan:
    """Return the plan that an answer holds.

    Raises:
        ValueError, TypeError: the body is no answer.
    """
    return plan_from_json(loads(body))


def encode_occurrences(found: tuple[Occurrence, ...]) -> bytes:
    """Return the body of an answer about a name."""
    return dumps([_plain(occurrence) for occurrence in found])


def decode_occurrences(body: bytes) -> tuple[Occurrence, ...]:
    """Return the occurrences that an answer holds.

    Raises:
        ValueError, TypeError: the body is no answer.
    """
    return tuple(
        Occurrence(
            *(line, column, text, kind, container),
            None if defined is None else Defined(*defined),
            *(role, test, tuple(bases), receiver),
        )
        for line, column, text, kind, container, defined, role, test, bases, receiver in loads(body)
    )


def encode_outline(found: tuple[Outlined, ...]) -> bytes:
    """Return the body of an answer about a file's definitions."""
    return dumps(
        [
            [
                *(one.depth, one.kind, _valid(one.name), _valid(one.signature)),
                *(one.start_line, one.end_line),
            ]
            for one in found
        ]
    )


def decode_outline(body: bytes) -> tuple[Outlined, ...]:
    """Return the definitions that an answer holds.

    Raises:
        ValueError, TypeError: the body is no answer.
    """
    return tuple(Outlined(*one) for one in loads(body))


def _plain(occurrence: Occurrence) -> Json:
    defined = occurrence.defined
    return [
        *(occurrence.line, occurrence.column, _valid(occurrence.text), occurrence.kind),
        _valid(occurrence.container),
        None
        if defined is None
        else [
            *(defined.kind, defined.start_line, defined.end_line, defined.declared_only),
            *(_valid(defined.signature), _valid(defined.doc)),
        ],
        *(occurrence.role, occurrence.test, list(map(_valid, occurrence.bases))),
        _valid(occurrence.receiver),
    ]


def _valid(text: str) -> str:
    """Return text that JSON can hold: a name may stand among bytes that are none."""
    return text.encode("utf-8", "replace").decode()
