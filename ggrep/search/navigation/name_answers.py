"""Answers requests for definitions and usages of a name."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.containers import container_notices, related_definitions
from ggrep.model.limits import Notice
from ggrep.model.name_pools import check_spelling, clamped, implementation_cut, other_case
from ggrep.model.navigation import (
    Definition,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import SearchRequest
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.parse.languages.registry import is_unread
from ggrep.search.navigation.definitions import find_definitions, qualified_name
from ggrep.search.navigation.implementations import implementations
from ggrep.search.navigation.mentions import Mentions
from ggrep.search.navigation.name_candidates import (
    NameFile,
    Searched,
    defining_files,
    mentioning_files,
    searched,
    split_name,
)
from ggrep.search.navigation.name_pages import page_end, page_start
from ggrep.search.navigation.name_reading import Place, Reading
from ggrep.search.query.context import Context, Stages
from ggrep.search.query.pipeline import check_request
from ggrep.search.query.segments import open_segments
from ggrep.search.query.selection import selection_notices


def check_name(request: SymbolRequest | ReferencesRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: the message names the invalid field.
    """
    check_spelling(request.name)
    check_request(
        SearchRequest(
            "a name",
            limit=request.limit,
            scope=request.scope,
            filters=request.filters,
            timeout_ms=request.timeout_ms,
        )
    )


def symbol(context: Context, request: SymbolRequest) -> SymbolResponse:
    """Return where a name is defined.

    Args:
        context: the context of the answer; its deadline is checked before each file.
        request: the name.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    request, limits = clamped(request)
    reading = reading_of(context, request, words_do=False)
    asked = split_name(request.name)
    files = mentioning_files(reading.content, asked, context.deadline)
    result = find_definitions(reading, asked)
    manifest, total = context.view.manifest, len(result.places)
    skip, _ = page_start(request, manifest.name)
    each = () if skip else implementations(reading, request, result.places, result.others)
    implementing = [at for at, _ in each]
    limits += implementation_cut(request, len(implementing))
    kept = result.places[skip:][: request.limit]
    definitions = [definition_at(reading.content, place) for place in kept]
    origin = manifest.name, manifest.snapshot_id
    cuts, next_cursor = page_end(request, (skip, len(kept)), total, origin)
    stages.end("retrieve")
    return SymbolResponse(
        request=request,
        definitions=tuple(definitions),
        total=total,
        suggestions=result.suggestions,
        implementations=tuple(implementing[: request.limit]),
        implementations_total=len(implementing),
        **context.head(
            asked_fingerprint("symbol-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *cuts, *reading.limits),
            notices=(
                *reading.notices,
                *result.notices,
                *unread_languages(reading.content, files),
                *(() if total else _unselected(reading, request)),
                *_unseen(context, request, lacking=not total or bool(cuts)),
            ),
            spans=stages.spans,
            shown=[definition.path for definition in definitions],
        ),
        next_cursor=next_cursor,
    )


def references(context: Context, request: ReferencesRequest) -> ReferencesResponse:
    """Return where a name is used.

    Args:
        context: the context of the answer; its deadline is checked before each file.
        request: the request with the name and the wanted kinds of mentions.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    request, limits = clamped(request)
    reading = reading_of(context, request, words_do=True)
    asked = split_name(request.name)
    files = mentioning_files(reading.content, asked, context.deadline)
    manifest = context.view.manifest
    skip, _ = page_start(request, manifest.name)
    collected, notices = Mentions(request, asked, skip), unread_languages(reading.content, files)
    mentions = 0, 0
    for any_case in (False, True):
        mentions = read_mentions(reading, files, collected, any_case=any_case)
        if collected.totals:
            break
    if collected.other_spelling is not None:
        notices += other_case(asked.last, [collected.other_spelling.mention.text])
    answer = collected.answer().without_doubts()
    parts = (*asked.owners, asked.last)
    notices += container_notices(parts, answer.found, answer.left, answer.doubtful)
    if not collected.totals:
        notices += _unselected(reading, request)
    notices += _unseen(context, request, lacking=not collected.totals or bool(answer.limits))
    origin = manifest.name, manifest.snapshot_id
    cuts, next_cursor = page_end(
        request,
        (skip, len(answer.shown)),
        answer.wanted,
        origin,
        exact=not (mentions[0] or reading.limits),
    )
    stages.end("retrieve")
    return ReferencesResponse(
        request=request,
        references=tuple(reference for _, reference in answer.shown),
        totals=tuple(
            (kind, collected.totals[kind]) for kind in ("usage", "string", "comment", "definition")
        ),
        files=len({reference.path for _, reference in answer.shown}),
        mentions=mentions[0],
        mention_files=mentions[1],
        defined=tuple(at for _, at in related_definitions(answer.found)),
        **context.head(
            asked_fingerprint("references-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *cuts, *answer.limits, *reading.limits),
            notices=(*reading.notices, *notices),
            spans=stages.spans,
            shown=[reference.path for _, reference in answer.shown],
        ),
        next_cursor=next_cursor,
    )


def read_mentions(
    reading: Reading, files: Sequence[NameFile], mentions: Mentions, *, any_case: bool
) -> tuple[int, int]:
    """Read the files that an answer about usages needs, and count the name in all other files.

    Returns: the number of whole-word occurrences in files whose syntax was not read, and the number
    of these files.
    """
    content, asked = reading.content, mentions.asked
    if mentions.defining is None and not asked.owners:
        mentions.defining = frozenset(defining_files(content, asked, reading.deadline))
    for file in reading.read(files, asked.typed, any_case=any_case, wants=mentions.wants):
        mentions.take(content, file.text, file.places)
    return reading.mentions(asked, any_case=any_case)


def _unseen(
    context: Context, request: SymbolRequest | ReferencesRequest, *, lacking: bool
) -> tuple[Notice, ...]:
    """Return notices on files that an answer cannot show, if the answer is empty or cut."""
    return context.unseen(deterministic=request.deterministic, names=True) if lacking else ()


def _unselected(reading: Reading, request: SymbolRequest | ReferencesRequest) -> tuple[Notice, ...]:
    """Return a notice if the filters or the path select no file."""
    chosen = request.scope, request.filters
    return selection_notices(reading.content.segments, *chosen, reading.deadline)


def reading_of(
    context: Context, request: SymbolRequest | ReferencesRequest, *, words_do: bool
) -> Reading:
    """Return the reader of the files that a request allows."""
    view, deadline = context.view, context.deadline
    content = searched(view, open_segments(view), request.scope, request.filters, deadline)
    return Reading(content, context.occurrences, deadline, words_do, request.deterministic)


def definition_at(content: Searched, place: Place) -> Definition:
    """Return the definition at a place.

    Requires: the place is a definition.
    """
    mention, image = place.mention, content.segments[place.file.segment].image
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


UNREAD_LANGUAGE: Final = "unread_language"
_NAMELESS: Final = {"code": "unknown languages", "text": "plain text"}
"""Names for file types that were determined from the form of the lines alone."""


def unread_languages(content: Searched, files: Sequence[NameFile]) -> list[Notice]:
    """Return a notice on files in languages without a parser, if there are such files.

    Args:
        content: the snapshot's segments.
        files: files that may contain the name.
    """
    spoken = Counter(content.segments[file.segment].image.language(file.file) for file in files)
    counted = [
        f"{_NAMELESS.get(language, language)} ({count} {'file' if count == 1 else 'files'})"
        for language, count in sorted(spoken.items())
        if is_unread(language)
    ]
    message = (
        f"definitions cannot be distinguished from usages in {', '.join(counted)}: "
        "they have no parser, so all occurrences of the word count as usages"
    )
    return [Notice(UNREAD_LANGUAGE, message)] if counted else []
