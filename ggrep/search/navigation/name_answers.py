"""Answers where a name is defined and where it is used."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.asked_names import check_spelling, clamped, other_case
from ggrep.model.limits import Notice
from ggrep.model.navigation import (
    Definition,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import SearchRequest
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.parse.languages.registry import is_unread
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.navigation.definitions import find_definitions, qualified_name
from ggrep.search.navigation.name_candidates import (
    NameFile,
    Searched,
    mentioning_files,
    searched,
    split_name,
)
from ggrep.search.navigation.name_pages import page_end, page_start
from ggrep.search.navigation.name_reading import Place, Reading
from ggrep.search.query.context import Context, Stages
from ggrep.search.query.pipeline import check_request
from ggrep.search.query.segments import open_segments

MAX_LINE_CHARACTERS: Final = 240
"""Most of a line that is shown beside a mention."""
_BEFORE: Final = 80
"""What of a longer line is shown in front of the name."""


def check_name(request: SymbolRequest | ReferencesRequest) -> None:
    """Raise unless the request is valid; needs no index.

    Raises:
        InvalidRequest: names what is wrong.
    """
    check_spelling(request.name)
    check_request(
        SearchRequest(
            request.name,
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
    request, limits = clamped(request)
    reading = reading_of(context, request, pool, words_do=False)
    asked = split_name(request.name)
    files = mentioning_files(reading.held, asked.last, context.deadline)
    found = find_definitions(reading, asked)
    manifest, total = context.view.manifest, len(found.places)
    skip, _ = page_start(request, manifest.store_id)
    kept = found.places[skip:][: request.limit]
    definitions = [definition_at(reading.held, place) for place in kept]
    origin = manifest.store_id, manifest.snapshot_id
    cuts, next_cursor = page_end(request, (skip, len(kept)), total, origin)
    stages.end("retrieve")
    return SymbolResponse(
        request=request,
        definitions=tuple(definitions),
        total=total,
        suggestions=found.suggestions,
        **context.head(
            asked_fingerprint("symbol-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *cuts, *reading.limits),
            notices=(
                *reading.notices,
                *found.notices,
                *unread_languages(reading.held, files),
            ),
            spans=stages.spans,
        ),
        next_cursor=next_cursor,
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
    request, limits = clamped(request)
    reading = reading_of(context, request, pool, words_do=True)
    name = split_name(request.name).last
    files = mentioning_files(reading.held, name, context.deadline)
    manifest = context.view.manifest
    skip, _ = page_start(request, manifest.store_id)
    told, notices = Told(request, skip), unread_languages(reading.held, files)
    for any_case in (False, True):
        for file in reading.read(files, name, any_case=any_case):
            told.take(reading.held, file.text, file.places)
        if told.totals:
            break
    if told.other_spelling is not None:
        notices += other_case(name, [told.other_spelling.mention.text])
    wanted = sum(told.totals[kind] for kind in told.kinds)
    origin = manifest.store_id, manifest.snapshot_id
    cuts, next_cursor = page_end(request, (skip, len(told.shown)), wanted, origin)
    stages.end("retrieve")
    return ReferencesResponse(
        request=request,
        references=tuple(found for _, found in told.shown),
        totals=tuple(
            (kind, told.totals[kind]) for kind in ("usage", "string", "comment", "definition")
        ),
        files=len({found.path for _, found in told.shown}),
        **context.head(
            asked_fingerprint("references-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=(*limits, *cuts, *reading.limits),
            notices=(*reading.notices, *notices),
            spans=stages.spans,
        ),
        next_cursor=next_cursor,
    )


@dataclass(slots=True)
class Told:
    """Collects occurrences in the order of the answer and keeps the first.

    Attributes:
        skip: so many of those that fit the answer are passed over.
        kinds: which are shown.
        totals: all of them, by kind.
        other_spelling: the first that is not spelled as the name was asked for.
    """

    request: ReferencesRequest
    skip: int = 0
    kinds: frozenset[str] = frozenset()
    shown: list[tuple[Place, Reference]] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    other_spelling: Place | None = None

    def __post_init__(self) -> None:
        """Derive which kinds are shown from the request."""
        given = {"string": self.request.strings, "comment": self.request.comments}
        self.kinds = frozenset({"usage", *(kind for kind, wanted in given.items() if wanted)})

    def take(self, held: Searched, text: str, places: tuple[Place, ...]) -> None:
        """Count a file's occurrences and keep those that fit the answer."""
        name = split_name(self.request.name).last
        lines: list[str] = []
        for place in places:
            kind = place.mention.kind
            self.totals[kind] += 1
            if place.mention.text != name:
                self.other_spelling = self.other_spelling or place
            if kind not in self.kinds:
                continue
            if self.skip:
                self.skip -= 1
            elif len(self.shown) < self.request.limit:
                lines = lines or text.split("\n")
                found = reference_at(held, place, lines[place.mention.line - 1])
                self.shown.append((place, found))


def reading_of(
    context: Context,
    request: SymbolRequest | ReferencesRequest,
    pool: OccurrencePool,
    *,
    words_do: bool,
) -> Reading:
    """Return what reads the files that a request allows."""
    view, deadline = context.view, context.deadline
    held = searched(view, open_segments(view), request.scope, request.filters, deadline)
    return Reading(held, pool, deadline, words_do, request.deterministic)


def definition_at(held: Searched, place: Place) -> Definition:
    """Return the definition at a place.

    Requires: there is one.
    """
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


def reference_at(held: Searched, place: Place, line: str) -> Reference:
    """Return the occurrence at a place, which stands in `line`.

    Requires: it is no definition.
    """
    mention, image = place.mention, held.segments[place.file.segment].image
    kind = mention.kind
    assert kind != "definition"  # noqa: S101 - those are counted, never shown
    return Reference(
        row_id=image.row_id(place.row).hex(),
        path=sanitise_line(place.file.path),
        line=mention.line,
        column=mention.column,
        kind=kind,
        container=sanitise_line(mention.container),
        language=image.language(place.file.file),
        content=sanitise_line(_shortened(line, mention.column)),
    )


def _shortened(line: str, column: int) -> str:
    """Return a line without indentation, cut around the name if it is long."""
    if len(line) <= MAX_LINE_CHARACTERS or column + _BEFORE <= MAX_LINE_CHARACTERS:
        return line.strip()[:MAX_LINE_CHARACTERS]
    start = column - 1 - _BEFORE
    return line[start : start + MAX_LINE_CHARACTERS].strip()


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
