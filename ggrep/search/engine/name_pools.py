"""Answers a coordinator's requests about a name. Each request names one rule for matching."""

from collections.abc import Iterable, Sequence
from typing import Final

from ggrep.base.ids import SnapshotId
from ggrep.model.limits import Notice, sorted_limits, sorted_notices
from ggrep.model.name_pools import (
    MAX_SUGGESTIONS,
    Importer,
    NameStep,
    NearName,
    PooledDefinition,
    PooledReference,
    ReferencesPool,
    ReferencesPoolRequest,
    SymbolPool,
    SymbolPoolRequest,
)
from ggrep.model.navigation import DefinedAt, ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.search.engine.outside_imports import outside_imports, outside_names
from ggrep.search.navigation.definitions import (
    Fitting,
    fitting,
    near_names,
    qualified_name,
    spellings,
)
from ggrep.search.navigation.implementations import implementations
from ggrep.search.navigation.mentions import Judged, Mentions
from ggrep.search.navigation.name_answers import (
    check_name,
    definition_at,
    read_mentions,
    reading_of,
    unread_languages,
)
from ggrep.search.navigation.name_candidates import (
    NameFile,
    defining_files,
    mentioning_files,
    split_name,
)
from ggrep.search.navigation.name_reading import Place, Reading, texts_of
from ggrep.search.query.answerer import Answerer, Unpinned, parsed_snapshot
from ggrep.search.query.context import Context, state_notices
from ggrep.search.query.file_notices import file_notices
from ggrep.search.query.selection import selects

_NONE = Fitting("none", ())


def symbol_pool(context: Context, request: SymbolPoolRequest) -> SymbolPool:
    """Return the definitions that fit a name best by the rule in the request.

    Args:
        context: the context of the answer; its deadline is checked before each file.
        request: the name and the rule.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    query = request.asked
    reading = reading_of(context, query, words_do=False)
    name, near = split_name(query.name), tuple[NearName, ...]()
    fitted, files = _NONE, list[NameFile]()
    if request.step == "near":
        near = near_names(reading.content, name, context.deadline)
    else:
        any_case = request.step == "other_case"
        files = defining_files(reading.content, name, context.deadline)
        fitted = fitting(reading, files, name, any_case=any_case)
        files = mentioning_files(reading.content, name, context.deadline)
    if not fitted.fits:
        near = (*near, *_beside(fitted.others))
    fits, implementing = fitted.places, list[tuple[DefinedAt, bool]]()
    if not request.skip and (fits or request.step == "spelled"):
        implementing = implementations(reading, query, fits, fitted.others)
    shown = fits[request.skip :][: query.limit]
    return SymbolPool(
        provenance=context.provenance,
        fit=fitted.fit,
        definitions=tuple(_definition(reading, place) for place in shown),
        total=len(fits),
        spellings=tuple(spellings(fits)[:MAX_SUGGESTIONS]),
        near=near,
        limits_hit=sorted_limits(reading.limits),
        warnings=_notices(context, reading, files, request.step, shown),
        selects=_selects(reading, query, empty=request.step == "spelled" and not fits),
        implementations=tuple(implementing[: query.limit]),
        implementations_total=len(implementing),
        outside=() if fits or request.step == "near" else outside_names(context, reading, name),
    )


def references_pool(context: Context, request: ReferencesPoolRequest) -> ReferencesPool:
    """Return the occurrences of a name by one rule; for arguments and errors, see `symbol_pool`."""
    query = request.asked
    reading = reading_of(context, query, words_do=True)
    name = split_name(query.name)
    files = mentioning_files(reading.content, name, context.deadline)
    tally = Mentions(query, name, request.skip)
    any_case = request.step == "other_case"
    mentions, mention_files = read_mentions(reading, files, tally, any_case=any_case)
    judged = tally.answer(request.family)
    return ReferencesPool(
        provenance=context.provenance,
        references=tuple(
            PooledReference(reference, place.file.test) for place, reference in judged.shown
        ),
        totals=tuple(
            (kind, tally.totals[kind]) for kind in ("usage", "string", "comment", "definition")
        ),
        other_spelling=_other(tally.other_spelling),
        importers=_importers(context, reading, tally, judged),
        limits_hit=sorted_limits([*reading.limits, *judged.limits]),
        warnings=_notices(
            context, reading, files, request.step, [place for place, _ in judged.shown]
        ),
        left=judged.left,
        doubtful=judged.doubtful,
        mentions=mentions,
        mention_files=mention_files,
        defined=tuple(tally.definitions),
        selects=_selects(reading, query, empty=request.step == "spelled" and not tally.totals),
        outside=() if tally.definitions else outside_names(context, reading, name),
    )


def _importers(
    context: Context, reading: Reading, tally: Mentions, judged: Judged
) -> tuple[Importer, ...]:
    """Return the shown files' imports from other repositories, in the order of the answer.

    A plain name that this repository defines needs no imports. A qualified name always needs
    imports, because its owner can be defined in another repository.
    """
    if tally.totals["definition"] and not tally.asked.owners:
        return ()
    files = list(dict.fromkeys(place.file for place, _ in judged.shown))
    texts = texts_of(reading.content, files, context.deadline)
    return tuple(outside_imports(reading.content, texts, context.deadline))


def _selects(
    reading: Reading, query: SymbolRequest | ReferencesRequest, *, empty: bool
) -> tuple[bool, ...]:
    """Return whether the path and each filter match a file; an empty tuple unless `empty` is set.

    Callers set `empty` if the first rule had no results.
    """
    if not empty:
        return ()
    return selects(reading.content.segments, query.scope, query.filters, reading.deadline)


def _definition(reading: Reading, place: Place) -> PooledDefinition:
    defined = place.mention.defined
    return PooledDefinition(
        definition_at(reading.content, place),
        test=place.file.test,
        declared_only=defined is not None and defined.declared_only,
        column=place.mention.column,
    )


def _beside(places: Sequence[Place]) -> tuple[NearName, ...]:
    """Return a few qualified names whose last part alone matches the requested name."""
    near: dict[str, NearName] = {}
    for place in places:
        name, file = sanitise_line(qualified_name(place)), place.file
        order = (int(not file.names), int(file.test))
        near.setdefault(name, NearName(name, order, "", file.path))
    return tuple(near.values())[:MAX_SUGGESTIONS]


def _other(place: Place | None) -> NearName | None:
    if place is None:
        return None
    return NearName(place.mention.text, (int(place.file.test),), "", place.file.path)


def _notices(
    context: Context,
    reading: Reading,
    files: Sequence[NameFile],
    step: NameStep,
    shown: Iterable[Place],
) -> tuple[Notice, ...]:
    """Return notices on the read files; for the first rule, also on languages without a parser."""
    notices = [
        *state_notices(context.view),
        *reading.notices,
        *file_notices(context.view, [place.file.path for place in shown]),
    ]
    return sorted_notices(
        [*notices, *unread_languages(reading.content, files)] if step == "spelled" else notices
    )


def _check(request: SymbolPoolRequest | ReferencesPoolRequest) -> None:
    check_name(request.asked)


def _snapshot(_: Unpinned, request: SymbolPoolRequest | ReferencesPoolRequest) -> SnapshotId | None:
    return parsed_snapshot(request.snapshot_id)


SYMBOL_POOL: Final = Answerer(symbol_pool, _check, _snapshot)
REFERENCES_POOL: Final = Answerer(references_pool, _check, _snapshot)
