"""Merges what repositories say of a name into what one store over all their files would. Pure.

Order is that of one store: what its own order leaves open is decided by the repository's id.
Files of equal paths lie by repository there, so occurrences stay together file by file.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ggrep.base.ids import RepoId
from ggrep.model.name_pools import (
    FITTING,
    MAX_SUGGESTIONS,
    NameStep,
    NearName,
    PooledDefinition,
    PooledReference,
    ReferencesPool,
    SymbolPool,
)
from ggrep.model.navigation import Definition, Reference

SymbolPools: TypeAlias = Mapping[NameStep, Mapping[RepoId, SymbolPool]]
ReferencesPools: TypeAlias = Mapping[NameStep, Mapping[RepoId, ReferencesPool]]

Tie: TypeAlias = Literal["import", "guess"]
"""How an occurrence belongs to a definition of another repository: its file imports something of
that repository, or nothing but the name says so."""


@dataclass(frozen=True, slots=True)
class RepoDefinition:
    """A definition in one of several repositories."""

    repo_id: RepoId
    found: Definition


@dataclass(frozen=True, slots=True)
class RepoReference:
    """An occurrence in one of several repositories.

    Attributes:
        tie: None in a repository that defines the name, and where none does.
    """

    repo_id: RepoId
    found: Reference
    tie: Tie | None = None


@dataclass(frozen=True, slots=True)
class MergedSymbol:
    """Definitions of a name over several repositories.

    Attributes:
        definitions: the first of those that were not shown before.
        total: how many there are in all.
        spellings: that they have.
    """

    definitions: tuple[RepoDefinition, ...]
    total: int
    spellings: tuple[str, ...]
    suggestions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergedReferences:
    """Occurrences of a name over several repositories.

    Attributes:
        references: the first of those that were not shown before.
        totals: all of them by kind.
        defining: repositories that define it.
        spellings: the first other one; empty for none.
    """

    references: tuple[RepoReference, ...]
    totals: tuple[tuple[str, int], ...]
    defining: tuple[RepoId, ...]
    spellings: tuple[str, ...]


def merge_symbol(pools: SymbolPools, step: NameStep | None, limit: int) -> MergedSymbol:
    """Return the definitions that one store would show.

    Args:
        pools: what each repository gave, by rule.
        step: the first rule by which any definition fits; None where none does.
        limit: most definitions.
    """
    if step is None:
        return MergedSymbol((), 0, (), suggestions_of(pools))
    given = pools[step]
    fits = {pool.fit for pool in given.values()}
    # By the file's path only where nothing is enclosed so in any repository.
    best = "enclosing" if "enclosing" in fits else "path"
    kept = {repo: pool for repo, pool in sorted(given.items()) if pool.fit == best}
    found = [(repo, one) for repo, pool in kept.items() for one in pool.definitions]
    found.sort(key=_definition_order)
    return MergedSymbol(
        definitions=tuple(RepoDefinition(repo, one.definition) for repo, one in found[:limit]),
        total=sum(pool.total for pool in kept.values()),
        spellings=tuple(sorted({one for pool in kept.values() for one in pool.spellings})),
        suggestions=(),
    )


def fits(pool: SymbolPool) -> bool:
    """Return whether a repository defines the name by the rule it was asked for."""
    return pool.fit in FITTING


def is_mentioned(pool: ReferencesPool) -> bool:
    """Return whether a repository holds the name by the rule it was asked for."""
    return any(count for _, count in pool.totals)


def suggests(pools: Iterable[SymbolPool]) -> bool:
    """Return whether any definition beside the one that was asked for is known."""
    return any(pool.near for pool in pools)


def suggestions_of(pools: SymbolPools) -> tuple[str, ...]:
    """Return the names that one store would suggest."""
    beside = [
        ((place, *near.order), near.path, repo, near.name)
        for place, step in enumerate(("spelled", "other_case"))
        for repo, pool in sorted(pools.get(step, {}).items())  # type: ignore[call-overload]
        for near in pool.near
    ]
    if beside:
        # Names of one file keep the order in which it defines them.
        ordered = sorted(beside, key=lambda entry: entry[:3])
        return tuple(dict.fromkeys(name for *_, name in ordered))[:MAX_SUGGESTIONS]
    first: dict[str, tuple[str, RepoId, NearName]] = {}
    for repo, pool in sorted(pools.get("near", {}).items()):
        for near in pool.near:
            held = first.get(near.term)
            if held is None or (near.path, repo) < held[:2]:
                first[near.term] = (near.path, repo, near)
    ranked = sorted((near for *_, near in first.values()), key=lambda near: (near.order, near.term))
    return tuple(dict.fromkeys(near.name for near in ranked[:MAX_SUGGESTIONS]))


def merge_references(
    pools: Mapping[RepoId, ReferencesPool], name: str, limit: int
) -> MergedReferences:
    """Return the occurrences that one store would show; none says yet how it is tied.

    Args:
        pools: what each repository gave by the deciding rule.
        name: as it was asked for, the last part of it.
        limit: most occurrences.
    """
    given = sorted(pools.items())
    found = [(repo, one) for repo, pool in given for one in pool.references]
    found.sort(key=_reference_order)
    counts: Counter[str] = Counter()
    for _, pool in given:
        counts.update(dict(pool.totals))
    others = [
        ((*pool.other_spelling.order, pool.other_spelling.path, repo), pool.other_spelling.name)
        for repo, pool in given
        if pool.other_spelling is not None
    ]
    spelled = min(others)[1] if others else name
    return MergedReferences(
        references=tuple(RepoReference(repo, one.reference) for repo, one in found[:limit]),
        totals=tuple((kind, counts[kind]) for kind in ("usage", "string", "comment", "definition")),
        defining=tuple(repo for repo, pool in given if dict(pool.totals).get("definition", 0)),
        spellings=() if spelled == name else (spelled,),
    )


def _definition_order(
    entry: tuple[RepoId, PooledDefinition],
) -> tuple[bool, bool, bool, str, int, int, RepoId]:
    repo, one = entry
    found = one.definition
    return (
        one.test,
        found.kind == "module",
        one.declared_only,
        found.path,
        found.line,
        one.column,
        repo,
    )


def _reference_order(entry: tuple[RepoId, PooledReference]) -> tuple[bool, str, RepoId, int, int]:
    repo, one = entry
    found = one.reference
    return one.test, found.path, repo, found.line, found.column


def counted(
    shown: Sequence[RepoDefinition] | Sequence[RepoReference],
) -> Mapping[RepoId, int]:
    """Return how many of the shown places lie in each repository."""
    return Counter(one.repo_id for one in shown)
