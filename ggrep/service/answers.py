"""Answers: the domain's responses, each with the JSON document that the command line prints."""

from typing import Any, TypeAlias, TypeVar

from msgspec.structs import asdict, replace

from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.response import QueryResponse
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.sync import SyncOutcome, outcome_json
from ggrep.protocol.client.link import Unreachable
from ggrep.render.answer_json import answer_json


class SearchAnswer(QueryResponse, frozen=True):
    """The ranked hits of a search."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep search --json` prints: schema `query_success`."""
        return dict(answer_json(self))


class SlateAnswer(SlateResponse, frozen=True):
    """Files by section, with evidence, within a budget."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep slate --json` prints: schema `slate_success`."""
        return dict(answer_json(self))


class SymbolAnswer(SymbolResponse, frozen=True):
    """Where a name is defined."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep symbol --json` prints: schema `symbol_success`."""
        return dict(answer_json(self))


class ReferencesAnswer(ReferencesResponse, frozen=True):
    """Where a name is used."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep refs --json` prints: schema `references_success`."""
        return dict(answer_json(self))


class ExpandAnswer(ExpandResponse, frozen=True):
    """The code around a place."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep expand --json` prints: schema `expand_success`."""
        return dict(answer_json(self))


class OutlineAnswer(OutlineResponse, frozen=True):
    """What files and folders define."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep outline --json` prints: schema `outline_success`."""
        return dict(answer_json(self))


class TourAnswer(TourResponse, frozen=True):
    """What a repository is."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep tour --json` prints: schema `tour_success`."""
        return dict(answer_json(self))


class SyncAnswer(SyncOutcome, frozen=True):
    """The report of a sync."""

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON has them: as daemons report a sync."""
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
"""What one repository answers to a question about its code."""

A = TypeVar("A")
B = TypeVar("B", bound=Answer)


def sync_answer(report: object) -> SyncAnswer:
    """Return the answer for a daemon's report of a sync.

    Raises:
        Unreachable: it is no report.
    """
    try:
        return decode(SyncAnswer, report, "report")
    except DecodeError as error:
        raise Unreachable(f"invalid reply from the daemon: {error}") from error


def as_answer(kind: type[A], found: Any) -> A:  # noqa: ANN401 - a Struct, of which `kind` is one
    """Return a response as the answer that has the same fields."""
    return kind(**asdict(found))


def as_asked(answer: B, timeout_ms: int) -> B:
    """Return an answer whose request has the requested timeout, not the remaining time."""
    said: Any = answer.request
    if isinstance(said, SlateRequest):
        said = replace(said, search=replace(said.search, timeout_ms=timeout_ms))
    else:
        said = replace(said, timeout_ms=timeout_ms)
    return replace(answer, request=said)
