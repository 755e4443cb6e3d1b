"""Chooses the repositories to search when a request limits their number.

Performs no I/O. A repository is always searched if the request selects it by name or the query
contains its name.
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
"""Number of chunks or files with average word frequencies that smoothing adds to a repository."""
_PATHS: Final = 0.25
"""Weight of a word in paths; a word in chunks has weight 1."""
_SHARPNESS: Final = 0.1
"""Factor on log likelihoods: words of a text are correlated and must not count as independent."""


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
    """Return the repositories to search; the order of `repos` has no effect.

    Repositories without chunks or statistics are kept and do not count towards `max_repos`:
    searching an empty repository costs nothing, and a repository without statistics has already
    failed.

    The query names a repository if it contains all words of the repository's alias or folder. A
    `max_repos` of 0 means no bound; `explicit` repositories were selected by name.
    """
    with_chunks = {name for name, figure in figures.items() if figure.chunks}
    filled = {repo.repo_id: repo for repo in repos if repo.repo_id in with_chunks}
    if not max_repos or len(filled) <= max_repos:
        return Routed(tuple(sorted(repo.repo_id for repo in repos)), ())
    words = _words(query)
    pinned = {name for name, repo in filled.items() if name in explicit or _is_named(repo, words)}
    rest = sorted(filled.keys() - pinned, key=lambda name: (-scores.get(name, 0.0), name))
    skipped = rest[max(max_repos - len(pinned), 0) :]
    number = f"{len(filled) - len(skipped)} of {len(filled)} repositories"
    warning = Diagnostic(
        "WARN_FEDERATED_ROUTED", f"only the {number} that fit the query best were searched"
    )
    return Routed(
        kept=tuple(sorted(repo.repo_id for repo in repos if repo.repo_id not in skipped)),
        skipped=tuple(sorted(skipped)),
        limits=(LimitHit("max_repos", max_repos, len(filled)),) if skipped else (),
        warnings=(warning,) if skipped else (),
    )


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
    """Return the words of a text and their parts, in lower case."""
    return _parts(text) | {word.casefold() for word in _WORD.findall(text)}


def _parts(text: str) -> frozenset[str]:
    """Return the parts of words: `PaymentGateway` and `payment-gateway` have the same two parts."""
    parts = (part for word in _WORD.findall(text) for part in _PART.findall(word))
    return frozenset(part.casefold() for part in parts)


def repo_scores(figures: Mapping[RepoId, CollectionStatistics]) -> dict[RepoId, float]:
    """Return how well each repository fits the query, relative to the best fit.

    The score compares the frequency of the query's words in a repository's chunks with their
    frequency in all chunks, and likewise for paths. Words that are equally frequent in all
    repositories, or occur in none, have no effect. The size of a repository has no effect.
    docs/quality.md reports the quality of the choice.

    The best repository has the score 1.0. A repository without chunks has 0.0 and does not affect
    other scores. Sums are exact and scores are rounded, so the order of repositories does not
    matter.
    """
    filled = {repo: figure for repo, figure in figures.items() if figure.chunks}
    if not filled:
        return dict.fromkeys(figures, 0.0)
    parts = tuple(filled.values())
    by_chunks = _likelihoods(parts, lambda figure: figure.chunks, lambda entry: entry.chunks)
    by_paths = _likelihoods(parts, lambda figure: figure.files, lambda entry: entry.files)
    sums = [chunks + _PATHS * paths for chunks, paths in zip(by_chunks, by_paths, strict=True)]
    best = max(sums)
    scores = {
        repo: round(math.exp(_SHARPNESS * (each - best)), _DECIMALS)
        for repo, each in zip(filled, sums, strict=True)
    }
    return {repo: scores.get(repo, 0.0) for repo in figures}


def _likelihoods(
    parts: Sequence[CollectionStatistics],
    size_of: Callable[[CollectionStatistics], int],
    count_of: Callable[[TermFrequency], int],
) -> list[float]:
    """Return the log likelihood ratio of the terms for each repository, against all repositories.

    The share of documents with a term is smoothed by `_SMOOTHING` documents with the average share.
    """
    size = sum(map(size_of, parts))
    counts = [{entry.term: count_of(entry) for entry in part.terms} for part in parts]
    # Repositories of another lexical layout may have counted other terms, which are not comparable.
    common = set[str]().union(*counts).intersection(*counts)
    terms = sorted(common, key=lambda term: term.encode())
    totals = {term: sum(each[term] for each in counts) for term in terms}
    usual = {term: total / size for term, total in totals.items() if total and size}
    return [
        math.fsum(
            math.log((count_of_term[term] / share + _SMOOTHING) / (size_of(part) + _SMOOTHING))
            for term, share in usual.items()
        )
        for part, count_of_term in zip(parts, counts, strict=True)
    ]
