"""Answers a coordinator's questions about a name: one rule at a time, with what decides."""

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
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.search.engine.outside_imports import outside_imports
from ggrep.search.navigation.definitions import (
    Fitting,
    fitting,
    near_names,
    qualified_name,
    spellings,
)
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
    """Return the definitions that fit a name best by one rule.

    Args:
        context: what answering needs; its deadline is checked before each file.
        request: the name and the rule.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    asked = request.asked
    reading = reading_of(context, asked, words_do=False)
    name, near = split_name(asked.name), tuple[NearName, ...]()
    found, files = _NONE, list[NameFile]()
    if request.step == "near":
        near = near_names(reading.held, name, context.deadline)
    else:
        any_case = request.step == "other_case"
        files = defining_files(reading.held, name, context.deadline)
        found = fitting(reading, files, name, any_case=any_case)
        files = mentioning_files(reading.held, name, context.deadline)
    if not found.fits:
        near = (*near, *_beside(found.places))
    fits = found.places if found.fits else ()
    shown = fits[request.skip :][: asked.limit]
    return SymbolPool(
        provenance=context.provenance,
        fit=found.fit,
        definitions=tuple(_definition(reading, place) for place in shown),
        total=len(fits),
        spellings=tuple(spellings(fits)[:MAX_SUGGESTIONS]),
        near=near,
        limits_hit=sorted_limits(reading.limits),
        warnings=_notices(context, reading, files, request.step, shown),
        selects=_selects(reading, asked, empty=request.step == "spelled" and not fits),
    )


def references_pool(context: Context, request: ReferencesPoolRequest) -> ReferencesPool:
    """Return the occurrences of a name by one rule; arguments and errors as of `symbol_pool`."""
    asked = request.asked
    reading = reading_of(context, asked, words_do=True)
    name = split_name(asked.name)
    files = mentioning_files(reading.held, name, context.deadline)
    told = Mentions(asked, name, request.skip)
    any_case = request.step == "other_case"
    mentions, mention_files = read_mentions(reading, files, told, any_case=any_case)
    found = told.answer(request.family)
    return ReferencesPool(
        provenance=context.provenance,
        references=tuple(PooledReference(one, place.file.test) for place, one in found.shown),
        totals=tuple(
            (kind, told.totals[kind]) for kind in ("usage", "string", "comment", "definition")
        ),
        other_spelling=_other(told.other_spelling),
        importers=_importers(context, reading, told, found),
        limits_hit=sorted_limits([*reading.limits, *found.limits]),
        warnings=_notices(
            context, reading, files, request.step, [place for place, _ in found.shown]
        ),
        left=found.left,
        doubtful=found.doubtful,
        mentions=mentions,
        mention_files=mention_files,
        defined=tuple(told.definitions),
        selects=_selects(reading, asked, empty=request.step == "spelled" and not told.totals),
    )


def _importers(
    context: Context, reading: Reading, told: Mentions, found: Judged
) -> tuple[Importer, ...]:
    """Return what the files that are shown import from elsewhere, in the order of the answer.

    Where the name is defined nobody asks what ties its users to it. Whether a qualified one is
    defined here depends on what other repositories define.
    """
    if told.totals["definition"] and not told.asked.owners:
        return ()
    files = list(dict.fromkeys(place.file for place, _ in found.shown))
    texts = texts_of(reading.held, files, context.deadline)
    return tuple(outside_imports(reading.held, texts, context.deadline))


def _selects(
    reading: Reading, asked: SymbolRequest | ReferencesRequest, *, empty: bool
) -> tuple[bool, ...]:
    """Return what filters and the path match, where nothing was found by the first rule."""
    if not empty:
        return ()
    return selects(reading.held.segments, asked.scope, asked.filters, reading.deadline)


def _definition(reading: Reading, place: Place) -> PooledDefinition:
    defined = place.mention.defined
    return PooledDefinition(
        definition_at(reading.held, place),
        test=place.file.test,
        declared_only=defined is not None and defined.declared_only,
        column=place.mention.column,
    )


def _beside(places: Sequence[Place]) -> tuple[NearName, ...]:
    """Return the first few names of definitions that fit the last part of a name alone."""
    found: dict[str, NearName] = {}
    for place in places:
        name, file = sanitise_line(qualified_name(place)), place.file
        order = (int(not file.names), int(file.test))
        found.setdefault(name, NearName(name, order, "", file.path))
    return tuple(found.values())[:MAX_SUGGESTIONS]


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
    """Return what is to be said of the reading; the first rule speaks of the files as well."""
    told = [
        *state_notices(context.view),
        *reading.notices,
        *file_notices(context.view, [place.file.path for place in shown]),
    ]
    return sorted_notices(
        [*told, *unread_languages(reading.held, files)] if step == "spelled" else told
    )


def _check(request: SymbolPoolRequest | ReferencesPoolRequest) -> None:
    check_name(request.asked)


def _snapshot(_: Unpinned, request: SymbolPoolRequest | ReferencesPoolRequest) -> SnapshotId | None:
    return parsed_snapshot(request.snapshot_id)


SYMBOL_POOL: Final = Answerer(symbol_pool, _check, _snapshot)
REFERENCES_POOL: Final = Answerer(references_pool, _check, _snapshot)
