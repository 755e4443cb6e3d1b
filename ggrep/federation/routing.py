"""Chooses the repositories to search when a request limits their number.

Pure. A repository stays in any case when the request selected it by name or the query names it.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics, TermFrequency

_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")

_DECIMALS: Final = 6
_SMOOTHING: Final = 30
"""Chunks, or files, that every repository is thought to hold beside its own, of usual words."""
_PATHS: Final = 0.25
"""Weight of a word in paths; one in chunks weighs 1."""
_SHARPNESS: Final = 0.1
"""Words of a text hang together: taken as independent they would be far too sure."""


class Routed(Struct, frozen=True):
    """The repositories to search."""

    kept: tuple[RepoId, ...]
    skipped: tuple[RepoId, ...]
    limits: tuple[LimitHit, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def route(
    repos: Sequence[WorkspaceRepo],
    figures: Mapping[RepoId, CollectionStatistics],
    scores: Mapping[RepoId, float],
    query: str,
    *,
    max_repos: int,
    explicit: Collection[RepoId] = (),
) -> Routed:
    """Return which of `repos` to search, independent of their order.

    A repository without any chunk, and one that gave no figures, is kept and counts for nothing:
    it takes no other one's place. Searching the first costs nothing, the second failed already.

    A repository is named by the query if all words of its alias or folder are in it. `max_repos` of
    0 sets no bound; `explicit` repositories were selected by name.
    """
    filled = {repo.repo_id: repo for repo in repos if _holds_chunks(figures.get(repo.repo_id))}
    if not max_repos or len(filled) <= max_repos:
        return Routed(tuple(sorted(repo.repo_id for repo in repos)), ())
    words = _words(query)
    pinned = {name for name, repo in filled.items() if name in explicit or _is_named(repo, words)}
    rest = sorted(filled.keys() - pinned, key=lambda name: (-scores.get(name, 0.0), name))
    skipped = rest[max(max_repos - len(pinned), 0) :]
    number = f"{len(filled) - len(skipped)} of {len(filled)} repositories"
    warning = Diagnostic(
        "WARN_FEDERATED_ROUTED", f"{number} are searched, those that fit the query"
    )
    return Routed(
        kept=tuple(sorted(repo.repo_id for repo in repos if repo.repo_id not in skipped)),
        skipped=tuple(sorted(skipped)),
        limits=(LimitHit("max_repos", max_repos, len(filled)),) if skipped else (),
        warnings=(warning,) if skipped else (),
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


def repo_scores(figures: Mapping[RepoId, CollectionStatistics]) -> dict[RepoId, float]:
    """Return how well each repository fits the query, relative to the best fit.

    Each repository is taken as a source of the query's words: how much more often its chunks hold
    them than chunks of all repositories do, and its paths than all paths do. Words that stand
    everywhere alike, and words that stand nowhere, say nothing; the size of a repository is no
    argument for or against it. docs/quality.md has what the score reaches.

    The best has 1.0, others less, never below 0; a repository without a chunk has 0.0, and moves
    no other one's score. Sums are exact, and the scores are rounded: no order matters.
    """
    filled = {repo: held for repo, held in figures.items() if held.chunks}
    if not filled:
        return dict.fromkeys(figures, 0.0)
    parts = tuple(filled.values())
    by_chunks = _likelihoods(parts, lambda held: held.chunks, lambda entry: entry.chunks)
    by_paths = _likelihoods(parts, lambda held: held.files, lambda entry: entry.files)
    sums = [chunks + _PATHS * paths for chunks, paths in zip(by_chunks, by_paths, strict=True)]
    best = max(sums)
    found = {
        repo: round(math.exp(_SHARPNESS * (each - best)), _DECIMALS)
        for repo, each in zip(filled, sums, strict=True)
    }
    return {repo: found.get(repo, 0.0) for repo in figures}


def _likelihoods(
    parts: Sequence[CollectionStatistics],
    size_of: Callable[[CollectionStatistics], int],
    count_of: Callable[[TermFrequency], int],
) -> list[float]:
    """Return the log likelihood ratio of the terms: each repository against all together.

    A document of a part holds a term with the share of the part's own documents and of
    `_SMOOTHING` more that hold it as often as those of all parts do.
    """
    size = sum(map(size_of, parts))
    counts = [{entry.term: count_of(entry) for entry in part.terms} for part in parts]
    # Repositories of another lexical layout may have counted other terms: these cannot be compared.
    common = set[str]().union(*counts).intersection(*counts)
    terms = sorted(common, key=lambda term: term.encode())
    totals = {term: sum(each[term] for each in counts) for term in terms}
    usual = {term: total / size for term, total in totals.items() if total and size}
    return [
        math.fsum(
            math.log((own[term] / share + _SMOOTHING) / (size_of(part) + _SMOOTHING))
            for term, share in usual.items()
        )
        for part, own in zip(parts, counts, strict=True)
    ]
