"""Answers of the Python interface: responses of `ggrep.model` that also return their JSON."""

from typing import Any, TypeAlias, TypeVar

from msgspec.structs import asdict, replace

from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.operations import bounded
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.response import QueryResponse
from ggrep.model.slate import SlateResponse
from ggrep.model.sync import SyncOutcome, outcome_json
from ggrep.protocol.client.link import Unreachable
from ggrep.render.answer_json import answer_json


class _Answer:
    """The answer to a request, with its JSON document."""

    __slots__ = ()

    def to_dict(self: Any) -> dict[str, Any]:
        """Return the document that the command line prints with `--json`."""
        return dict(answer_json(self))


class SearchAnswer(QueryResponse, _Answer, frozen=True):
    """The ranked hits of a search."""


class SlateAnswer(SlateResponse, _Answer, frozen=True):
    """Files by section, with evidence, within a budget."""


class SymbolAnswer(SymbolResponse, _Answer, frozen=True):
    """Definitions of a name."""


class ReferencesAnswer(ReferencesResponse, _Answer, frozen=True):
    """Usages of a name."""


class ExpandAnswer(ExpandResponse, _Answer, frozen=True):
    """The code around a location."""


class OutlineAnswer(OutlineResponse, _Answer, frozen=True):
    """The definitions of files and folders."""


class TourAnswer(TourResponse, _Answer, frozen=True):
    """A description of a repository."""


class SyncAnswer(SyncOutcome, frozen=True):
    """The report of a sync."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON, in the form that daemons use."""
        return outcome_json(self)


Answer: TypeAlias = (
    SearchAnswer
    | SlateAnswer
    | SymbolAnswer
    | ReferencesAnswer
    | ExpandAnswer
    | OutlineAnswer
    | TourAnswer
)
"""An answer about the code of a repository."""

A = TypeVar("A")
B = TypeVar("B", bound=Answer)


def sync_answer(report: object) -> SyncAnswer:
    """Return the answer for a daemon's report of a sync."""
    try:
        return decode(SyncAnswer, report, "report")
    except DecodeError as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error


def as_answer(kind: type[A], response: Any) -> A:  # noqa: ANN401 - a Struct, of which `kind` is one
    """Return an answer of type `kind` with the fields of a response."""
    return kind(**asdict(response))


def as_asked(answer: B, timeout_ms: int) -> B:
    """Return an answer with the caller's timeout in its request, not the time that remained."""
    return replace(answer, request=bounded(answer.request, timeout_ms=timeout_ms))
