"""Requests to and replies from an occurrence worker.

A question holds one line of JSON (path key, name, whether case matters, processor time) and the
file's bytes behind it; an answer is a list of lists as JSON. `frames` puts a length before each.
"""

from dataclasses import dataclass

from ggrep.base.stable_json import Json, dumps, loads
from ggrep.parse.chunking.occurrence_words import Defined, Occurrence


@dataclass(frozen=True, slots=True)
class OccurrenceQuestion:
    """Where does a name stand in a file?

    Attributes:
        path_key: what the file is read as depends on it.
        name: without what qualifies it.
        any_case: take other spellings in upper and lower case too.
    """

    path_key: str
    data: bytes
    name: str
    any_case: bool = False


def encode_question(question: OccurrenceQuestion, cpu_ms: int) -> bytes:
    """Return the body of a question that may take `cpu_ms` of processor time."""
    head: Json = [question.path_key, question.name, question.any_case, cpu_ms]
    return dumps(head) + b"\n" + question.data


def decode_question(body: bytes) -> tuple[OccurrenceQuestion, int]:
    """Return the question and its milliseconds of processor time."""
    line, _, data = body.partition(b"\n")
    path_key, name, any_case, cpu_ms = loads(line)
    return OccurrenceQuestion(path_key, data, name, any_case), cpu_ms


def encode_mentions(found: tuple[Occurrence, ...]) -> bytes:
    """Return the body of an answer."""
    return dumps([_plain(mention) for mention in found])


def decode_mentions(body: bytes) -> tuple[Occurrence, ...]:
    """Return the mentions that an answer holds.

    Raises:
        ValueError, TypeError: the body is no answer.
    """
    return tuple(
        Occurrence(
            line, column, text, kind, container, None if defined is None else Defined(*defined)
        )
        for line, column, text, kind, container, defined in loads(body)
    )


def _plain(mention: Occurrence) -> Json:
    defined = mention.defined
    return [
        *(mention.line, mention.column, _valid(mention.text), mention.kind),
        _valid(mention.container),
        None
        if defined is None
        else [
            *(defined.kind, defined.start_line, defined.end_line, defined.declared_only),
            *(_valid(defined.signature), _valid(defined.doc)),
        ],
    ]


def _valid(text: str) -> str:
    """Return text that JSON can hold: a name may stand among bytes that are none."""
    return text.encode("utf-8", "replace").decode()
