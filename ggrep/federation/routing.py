"""Chooses the repositories to search when a request limits their number.

Pure: what fits the query best is judged outside and handed in. A repository stays in any case when
the request selected it by name or the query names it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ggrep.base.ids import RepoId
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.statistics import CollectionStatistics

_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Routed:
    """The repositories to search.

    Attributes:
        kept: by id, as `skipped` is.
        limits: the bound in force, when it left somebody out.
    """

    kept: tuple[RepoId, ...]
    skipped: tuple[RepoId, ...]
    limits: tuple[LimitHit, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def route(
    repos: Sequence[WorkspaceRepo],
    figures: Mapping[RepoId, CollectionStatistics],
    evidence: Mapping[RepoId, float],
    query: str,
    *,
    max_repos: int,
    explicit: Collection[RepoId] = (),
) -> Routed:
    """Return which of `repos` to search, independent of their order.

    A repository without any chunk, and one that gave no figures, is kept and counts for nothing:
    it takes no other one's place. Searching the first costs nothing, the second failed already.

    Args:
        repos: those that may be searched.
        figures: of those that gave them.
        evidence: higher for repositories that fit the query better; 0 for those not in it.
        query: as it was asked; a repository all of whose alias' or folder's words stand in it is
            named by it.
        max_repos: 0 for no bound.
        explicit: selected by name.
    """
    held = {repo.repo_id: repo for repo in repos if _holds_chunks(figures.get(repo.repo_id))}
    if not max_repos or len(held) <= max_repos:
        return Routed(tuple(sorted(repo.repo_id for repo in repos)), ())
    words = _words(query)
    pinned = {name for name, repo in held.items() if name in explicit or _is_named(repo, words)}
    rest = sorted(held.keys() - pinned, key=lambda name: (-evidence.get(name, 0.0), name))
    skipped = rest[max(max_repos - len(pinned), 0) :]
    return Routed(
        kept=tuple(sorted(repo.repo_id for repo in repos if repo.repo_id not in skipped)),
        skipped=tuple(sorted(skipped)),
        limits=(LimitHit("max_repos", max_repos, len(held)),) if skipped else (),
        warnings=_warnings(len(held), len(skipped)),
    )


def _holds_chunks(figures: CollectionStatistics | None) -> bool:
    return figures is not None and figures.chunks > 0


def _is_named(repo: WorkspaceRepo, query: Collection[str]) -> bool:
    for name in (repo.alias or "", repo.root_canonical.name):
        words = _words(name)
        if not words:
            continue
        whole = "".join(_WORD.findall(name)).casefold()
        if whole in query or _parts(name) <= set(query):
            return True
    return False


def _words(text: str) -> frozenset[str]:
    """Return the words of a text, whole and in parts, in one case."""
    return _parts(text) | {word.casefold() for word in _WORD.findall(text)}


def _parts(text: str) -> frozenset[str]:
    """Return the smallest words: `PaymentGateway` and `payment-gateway` have the same two."""
    parts = (part for word in _WORD.findall(text) for part in _PART.findall(word))
    return frozenset(part.casefold() for part in parts)


def _warnings(held: int, skipped: int) -> tuple[Diagnostic, ...]:
    if not skipped:
        return ()
    told = f"{held - skipped} of {held} repositories are searched, those that fit the query"
    return (Diagnostic("WARN_FEDERATED_ROUTED", told),)
