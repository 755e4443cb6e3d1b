"""Answers where a name is defined and where it is used."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from ggrep.base.errors import InvalidRequest
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.declared_name import declared_name
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import (
    Definition,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import SearchRequest
from ggrep.model.sanitise import is_text, sanitise, sanitise_line
from ggrep.parse.languages.registry import is_unread
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.navigation.definitions import find_definitions, other_case, qualified_name
from ggrep.search.navigation.mentions import Mentions
from ggrep.search.navigation.name_candidates import (
    NameFile,
    Searched,
    mentioning_files,
    searched,
    split_name,
)
from ggrep.search.navigation.name_reading import Place, Reading
from ggrep.search.query.context import Context, Stages
from ggrep.search.query.pipeline import check_request
from ggrep.search.query.segments import open_segments
from ggrep.search.query.selection import selection_notices

MAX_SYMBOLS: Final = 2_000
"""Most definitions of one answer."""
MAX_REFERENCES: Final = 2_000
"""Most mentions of one answer."""
MAX_NAME_CHARACTERS: Final = 400
_Asked = TypeVar("_Asked", SymbolRequest, ReferencesRequest)


def check_name(request: SymbolRequest | ReferencesRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: names what is wrong.
    """
    name = declared_name(request.name)
    if not is_text(name):
        raise InvalidRequest(f"name: {name!r} is not valid Unicode")
    if not re.search(r"\w", name) or re.search(r"[\s\0]", name):
        raise InvalidRequest(f"name: {name!r} is not a name")
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidRequest(f"name: longer than {MAX_NAME_CHARACTERS} characters")
    check_request(
        SearchRequest(
            name,
            limit=request.limit,
            scope=request.scope,
            filters=request.filters,
            timeout_ms=request.timeout_ms,
        )
    )


def symbol(context: Context, request: SymbolRequest, pool: OccurrencePool) -> SymbolResponse:
    """Return where a name is defined.

    Args:
        context: what answering needs; its deadline is checked before each file.
        request: the name.
        pool: who reads syntax.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    request, limits = _clamped(request, MAX_SYMBOLS, "max_symbols")
    reading = _reading(context, request, pool, words_do=False)
    asked = split_name(request.name)
    files = mentioning_files(reading.held, asked.last, context.deadline)
    found = find_definitions(reading, asked)
    total = len(found.places)
    if total > request.limit:
        limits = (*limits, LimitHit("max_symbols", request.limit, total))
    definitions = [_definition(reading.held, place) for place in found.places[: request.limit]]
    stages.end("retrieve")
    return SymbolResponse(
        request=request,
        definitions=tuple(definitions),
        total=total,
        suggestions=found.suggestions,
        **context.head(
            asked_fingerprint("symbol-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *reading.limits),
            notices=(
                *reading.notices,
                *found.notices,
                *unread_languages(reading.held, files),
                *(() if total else _unselected(reading, request)),
            ),
            spans=stages.spans,
        ),
    )


def references(
    context: Context, request: ReferencesRequest, pool: OccurrencePool
) -> ReferencesResponse:
    """Return where a name is used.

    Args:
        context: what answering needs; its deadline is checked before each file.
        request: the name, and whether strings and comments count.
        pool: who reads syntax.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    request, limits = _clamped(request, MAX_REFERENCES, "max_references")
    reading = _reading(context, request, pool, words_do=True)
    asked = split_name(request.name)
    files = mentioning_files(reading.held, asked.last, context.deadline)
    told, notices = Mentions(request, asked), unread_languages(reading.held, files)
    for any_case in (False, True):
        for file in reading.read(files, asked.last, any_case=any_case):
            told.take(reading.held, file.text, file.places)
        if told.totals:
            break
    if told.other_spelling is not None:
        notices += other_case(asked.last, [told.other_spelling])
    found = told.answer()
    notices += found.notices
    if not told.totals:
        notices += _unselected(reading, request)
    if found.wanted > request.limit:
        limits = (*limits, LimitHit("max_references", request.limit, found.wanted))
    stages.end("retrieve")
    return ReferencesResponse(
        request=request,
        references=found.shown,
        totals=tuple(
            (kind, told.totals[kind]) for kind in ("usage", "string", "comment", "definition")
        ),
        files=len({reference.path for reference in found.shown}),
        defined=found.defined,
        **context.head(
            asked_fingerprint("references-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *reading.limits),
            notices=(*reading.notices, *notices),
            spans=stages.spans,
        ),
    )


def _unselected(reading: Reading, request: SymbolRequest | ReferencesRequest) -> tuple[Notice, ...]:
    """Return what is said where filters or the path select nothing."""
    chosen = request.scope, request.filters
    return selection_notices(reading.held.segments, *chosen, reading.deadline)


def _reading(
    context: Context,
    request: SymbolRequest | ReferencesRequest,
    pool: OccurrencePool,
    *,
    words_do: bool,
) -> Reading:
    view, deadline = context.view, context.deadline
    held = searched(view, open_segments(view), request.scope, request.filters, deadline)
    return Reading(held, pool, deadline, words_do, request.deterministic)


def _definition(held: Searched, place: Place) -> Definition:
    mention, image = place.mention, held.segments[place.file.segment].image
    defined = mention.defined
    assert defined is not None  # noqa: S101 - only defining places are asked for
    return Definition(
        row_id=image.row_id(place.row).hex(),
        path=sanitise_line(place.file.path),
        line=mention.line,
        start_line=defined.start_line,
        end_line=defined.end_line,
        name=sanitise_line(mention.text),
        qualified_name=sanitise_line(qualified_name(place)),
        container=sanitise_line(mention.container),
        kind=defined.kind,
        language=image.language(place.file.file),
        signature=sanitise_line(defined.signature),
        doc=sanitise(defined.doc),
    )


def _clamped(request: _Asked, most: int, code: str) -> tuple[_Asked, tuple[LimitHit, ...]]:
    """Return the request within the cap, which also replaces a limit of 0."""
    limits = (LimitHit(code, most, request.limit),) if request.limit > most else ()
    return replace(request, limit=min(request.limit or most, most)), limits


UNREAD_LANGUAGE: Final = "unread_language"


def unread_languages(held: Searched, files: Sequence[NameFile]) -> list[Notice]:
    """Return a notice that names these languages and how many of the files are in each, if any.

    Args:
        held: the snapshot's segments.
        files: those that may hold the name.
    """
    spoken = Counter(held.segments[file.segment].image.language(file.file) for file in files)
    counted = [
        f"{language} ({count} {'file' if count == 1 else 'files'})"
        for language, count in sorted(spoken.items())
        if is_unread(language)
    ]
    told = (
        f"definitions cannot be told from usages in {', '.join(counted)}: "
        "these files hold the name and were read by words alone"
    )
    return [Notice(UNREAD_LANGUAGE, told)] if counted else []
