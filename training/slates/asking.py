"""What a repository's slates do with a question of a suite, asked in every way that is judged."""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.confidence import CONFIDENCE_CODES, Confidence
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Section, SessionRequest, Slate, SlateRequest, SlateResponse
from ggrep.render.answer_json import answer_json
from ggrep.search.slate.document import slate_json
from training.slates.suite import OutOfDomain, SlateCase

LEVELS: Final = (0, 1, 2, 3)
USUAL_LEVEL: Final = 1

Ask: TypeAlias = Callable[[SlateRequest], SlateResponse]
Shown: TypeAlias = tuple[tuple[Section, tuple[str, ...]], ...]
"""Files of each section that has any, in the slate's order."""


class SlateAnswer(Struct, frozen=True):
    """What came of a case.

    Attributes:
        first: of the usual level.
        second: what the same session shows on the same question when it leaves out what it has
            shown before.
        level_bytes: of the slates of `LEVELS`, as canonical JSON.
        same_selection: all levels and the session's first slate show the same files.
        repeated: asked again elsewhere, the answer has the same bytes.
    """

    case: SlateCase
    first: Shown
    second: Shown
    confidence: Confidence
    level_bytes: tuple[int, ...]
    same_selection: bool
    repeated: bool


class OutOfDomainAnswer(Struct, frozen=True):
    """What came of a question that cannot be answered.

    Attributes:
        warned: the answer says that it may be beside the point.
        files: that it shows all the same.
    """

    asked: OutOfDomain
    confidence: Confidence
    warned: bool
    files: int


def ask_case(case: SlateCase, ask: Ask, again: Ask) -> SlateAnswer:
    """Return what came of a case.

    Args:
        case: the question.
        ask: puts a request to the repository.
        again: does so too; answers of both should be the same.

    Raises:
        GgrepError: the repository cannot answer.
    """
    request = _request(case.query)
    levels = [ask(replace(request, level=level)) for level in LEVELS]
    usual = levels[LEVELS.index(USUAL_LEVEL)]
    started = ask(replace(request, session=SessionRequest()))
    token = started.session.token if started.session is not None else ""
    further = SessionRequest(token, "refine", delta_only=True)
    second = ask(replace(request, session=further))
    first = shown(usual.slate)
    return SlateAnswer(
        case=case,
        first=first,
        second=shown(second.slate),
        confidence=usual.confidence,
        level_bytes=tuple(len(stable_json.dumps(slate_json(each.slate))) for each in levels),
        same_selection=all(shown(each.slate) == first for each in (*levels, started)),
        repeated=_document(again(request)) == _document(usual),
    )


def ask_out_of_domain(one: OutOfDomain, ask: Ask) -> OutOfDomainAnswer:
    """Return what came of a question that the repository cannot answer.

    Raises:
        GgrepError: it gave no answer at all.
    """
    response = ask(_request(one.query))
    return OutOfDomainAnswer(
        asked=one,
        confidence=response.confidence,
        warned=any(notice.code in CONFIDENCE_CODES for notice in response.warnings),
        files=sum(len(paths) for _, paths in shown(response.slate)),
    )


def shown(slate: Slate) -> Shown:
    """Return the files of each section."""
    return tuple((section, tuple(pack.path for pack in packs)) for section, packs in slate.sections)


def _request(query: str) -> SlateRequest:
    return SlateRequest(SearchRequest(query, deterministic=True), level=USUAL_LEVEL)


def _document(response: SlateResponse) -> bytes:
    return stable_json.dumps(answer_json(response))
