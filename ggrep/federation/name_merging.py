"""Merges repositories' replies about a name into the reply of a single store. No I/O.

The order is that of a single store over all files; ties are broken by repository id. Files with
equal paths are ordered by repository, so that the occurrences of a file stay together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.model.containers import (
    FITTING,
    MOST_DEFINITIONS,
    Family,
    SortedDefinitions,
    family_of,
    hidden_doubts,
    mention_order,
    related_definitions,
    sort_definitions,
)
from ggrep.model.name_pools import (
    MAX_ORIGINS,
    MAX_SUGGESTIONS,
    NameStep,
    NearName,
    PooledDefinition,
    PooledReference,
    ReferencesPool,
    SymbolPool,
)
from ggrep.model.navigation import DefinedAt, Definition, OutsideName, Reference, ReferencesRequest
from ggrep.model.written_names import last_part

SymbolPools: TypeAlias = Mapping[NameStep, Mapping[RepoId, SymbolPool]]

Tie: TypeAlias = Literal["import", "guess"]
"""Relation of an occurrence to a definition in another repository: the file of the occurrence
imports from that repository, or only the names are equal."""


P = TypeVar("P", Definition, Reference, DefinedAt, OutsideName)


class InRepo(Struct, Generic[P], frozen=True):
    """A location with its repository.

    Attributes:
        tie: relation of an occurrence to a definition in another repository; None if the repository
            itself, or no repository, defines the name.
    """

    repo_id: RepoId
    place: P
    tie: Tie | None = None


class MergedSymbol(Struct, frozen=True):
    """Definitions of a name over several repositories, and the first implementations."""

    definitions: tuple[InRepo[Definition], ...]
    total: int
    spellings: tuple[str, ...]
    suggestions: tuple[str, ...]
    implementations: tuple[InRepo[DefinedAt], ...] = ()
    implementations_total: int = 0
    outside: tuple[InRepo[OutsideName], ...] = ()


class MergedReferences(Struct, frozen=True):
    """Occurrences of a name over several repositories.

    Attributes:
        wanted: number of occurrences of the requested kinds, in parsed files.
        mentions: number of occurrences in files that were not parsed; `mention_files` is the number
            of these files.
        doubtful: number of usages whose container is unknown; they are not listed.
        spellings: the first other spelling of the name; empty if there is none.
    """

    references: tuple[InRepo[Reference], ...]
    totals: tuple[tuple[str, int], ...]
    wanted: int
    doubtful: int
    defining: tuple[RepoId, ...]
    spellings: tuple[str, ...]
    mentions: int = 0
    mention_files: int = 0


def merge_symbol(pools: SymbolPools, step: NameStep | None, limit: int) -> MergedSymbol:
    """Return the definitions that a single store over all files would show.

    `step` is the first matching rule that any definition satisfies; None if there is none.
    """
    decided = pools.get(step or "spelled", {})
    implementing = [
        (test, at.path, repo, at.start_line, at)
        for repo, pool in sorted(decided.items())
        for at, test in pool.implementations
    ]
    implementing.sort(key=lambda each: each[:4])
    implementations = tuple(InRepo(repo, at) for _, _, repo, _, at in implementing[:limit])
    total = sum(pool.implementations_total for pool in decided.values())
    if step is None:
        suggestions, outside = suggestions_of(pools), outside_of(decided)
        return MergedSymbol((), 0, (), suggestions, implementations, total, outside)
    fits = {pool.fit for pool in decided.values()}
    # A match by file path or by key counts only if no repository has a match by container.
    best = next(fit for fit in FITTING if fit in fits)
    kept = {repo: pool for repo, pool in sorted(decided.items()) if pool.fit == best}
    definitions = [(repo, each) for repo, pool in kept.items() for each in pool.definitions]
    definitions.sort(key=_definition_order)
    return MergedSymbol(
        definitions=tuple(InRepo(repo, pooled.definition) for repo, pooled in definitions[:limit]),
        total=sum(pool.total for pool in kept.values()),
        spellings=tuple(sorted({text for pool in kept.values() for text in pool.spellings})),
        suggestions=(),
        implementations=implementations,
        implementations_total=total,
    )


def outside_of(
    pools: Mapping[RepoId, SymbolPool | ReferencesPool],
) -> tuple[InRepo[OutsideName], ...]:
    """Return the imports that show where a name comes from, one for each package."""
    origins: dict[str, InRepo[OutsideName]] = {}
    for repo, pool in sorted(pools.items()):
        for outside in pool.outside:
            origins.setdefault(outside.package, InRepo(repo, outside))
    return tuple(origins.values())[:MAX_ORIGINS]


def fits(pool: SymbolPool) -> bool:
    """Return whether a repository has a definition under the requested matching rule."""
    return pool.fit in FITTING


def is_mentioned(pool: ReferencesPool) -> bool:
    """Return whether a repository contains the name under the requested matching rule."""
    return any(count for _, count in pool.totals)


def suggests(pools: Iterable[SymbolPool]) -> bool:
    """Return whether any repository suggested a similar name."""
    return any(pool.near for pool in pools)


def suggestions_of(pools: SymbolPools) -> tuple[str, ...]:
    """Return the names that a single store over all files would suggest."""
    beside = [
        ((index, *near.order), near.path, repo, near.name)
        for index, step in enumerate(("spelled", "other_case"))
        for repo, pool in sorted(pools.get(step, {}).items())  # type: ignore[call-overload]
        for near in pool.near
    ]
    if beside:
        # Names in the same file keep the order of their definitions.
        ordered = sorted(beside, key=lambda entry: entry[:3])
        return tuple(dict.fromkeys(name for *_, name in ordered))[:MAX_SUGGESTIONS]
    first: dict[str, tuple[str, RepoId, NearName]] = {}
    for repo, pool in sorted(pools.get("near", {}).items()):
        for near in pool.near:
            best = first.get(near.term)
            if best is None or (near.path, repo) < best[:2]:
                first[near.term] = (near.path, repo, near)
    ranked = sorted((near for *_, near in first.values()), key=lambda near: (near.order, near.term))
    return tuple(dict.fromkeys(near.name for near in ranked[:MAX_SUGGESTIONS]))


class MergedDefinitions(Struct, frozen=True):
    """Definitions of a name over several repositories, for classifying its usages.

    Attributes:
        by_relation: definitions grouped by their relation to the requested container.
        family: definitions whose usages are requested; None for an unqualified name.
    """

    by_relation: SortedDefinitions
    family: Family | None

    @property
    def first(self) -> tuple[InRepo[DefinedAt], ...]:
        """Return the definitions that are shown with the usages."""
        pairs = related_definitions(self.by_relation)
        return tuple(InRepo(RepoId(definition.repo), at) for definition, at in pairs)


def merge_definitions(
    pools: Mapping[RepoId, ReferencesPool], owners: tuple[str, ...]
) -> MergedDefinitions:
    """Return the definitions that a single store would use to classify usages.

    `owners` are the qualifiers of the name, outermost first.
    """
    every = [replace(each, repo=repo) for repo, pool in pools.items() for each in pool.defined]
    # Definitions in the same file keep their order.
    every.sort(key=lambda each: (each.test, each.at.path, each.repo))
    if not owners:
        return MergedDefinitions(sort_definitions(every, owners), None)
    definitions = sort_definitions(every[:MOST_DEFINITIONS], owners)
    return MergedDefinitions(definitions, family_of(definitions, owners))


def local_family(pool: ReferencesPool, owners: tuple[str, ...]) -> Family:
    """Return the family of definitions that a repository would choose by itself."""
    return family_of(sort_definitions(pool.defined, owners), owners)


def merge_references(
    pools: Mapping[RepoId, ReferencesPool], asked: ReferencesRequest, defined: MergedDefinitions
) -> MergedReferences:
    """Return the occurrences that a single store would show; `tie` is set later."""
    name = last_part(asked.name)
    ordered = sorted(pools.items())
    references = [(repo, each) for repo, pool in ordered for each in pool.references]
    references.sort(key=_reference_order)
    counts: Counter[str] = Counter()
    for _, pool in ordered:
        counts.update(dict(pool.totals))
    others = [
        ((*pool.other_spelling.order, pool.other_spelling.path, repo), pool.other_spelling.name)
        for repo, pool in ordered
        if pool.other_spelling is not None
    ]
    spelled = min(others)[1] if others else name
    wanted = sum(counts[kind] for kind in asked.kinds)
    wanted -= sum(pool.left for _, pool in ordered)
    doubtful = sum(pool.doubtful for _, pool in ordered)
    hidden = hidden_doubts(wanted - doubtful, doubtful)
    shown = [pair for pair in references if not (hidden and pair[1].reference.guess)]
    return MergedReferences(
        references=tuple(InRepo(repo, each.reference) for repo, each in shown[: asked.limit]),
        totals=tuple((kind, counts[kind]) for kind in ("usage", "string", "comment", "definition")),
        wanted=wanted - hidden,
        doubtful=hidden,
        defining=tuple(repo for repo, pool in ordered if _defines(repo, pool, defined)),
        spellings=() if spelled == name else (spelled,),
        mentions=sum(pool.mentions for _, pool in ordered),
        mention_files=sum(pool.mention_files for _, pool in ordered),
    )


def _defines(repo: RepoId, pool: ReferencesPool, defined: MergedDefinitions) -> bool:
    """Return whether a repository defines a name, in the requested container."""
    if defined.family is None:
        return bool(dict(pool.totals).get("definition", 0))
    return any(definition.repo == repo for definition in defined.by_relation.near)


def _definition_order(
    entry: tuple[RepoId, PooledDefinition],
) -> tuple[bool, bool, bool, str, int, int, RepoId]:
    repo, pooled = entry
    definition = pooled.definition
    return (
        pooled.test,
        definition.kind == "module",
        pooled.declared_only,
        definition.path,
        definition.line,
        pooled.column,
        repo,
    )


def _reference_order(
    entry: tuple[RepoId, PooledReference],
) -> tuple[tuple[bool, int], bool, str, RepoId, int, int]:
    repo, pooled = entry
    use = pooled.reference
    return mention_order(use), pooled.test, use.path, repo, use.line, use.column
