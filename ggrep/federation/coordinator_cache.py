"""The cache of a coordinator, keyed by immutable snapshots.

An answer from cached replies has the same bytes as an answer from new replies. The cache stores
replies of repositories instead of merged answers, so that volatile fields are recomputed for each
answer.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.federated_request import EffectiveSettings, FederatedRequest
from ggrep.model.limits import LimitHit
from ggrep.model.lru_cache import LruCache
from ggrep.model.request import CollectionStatistics, EncodedQuery, SearchRequest
from ggrep.model.response import PoolResponse, RepoDescription

MOST_BYTES: Final = 32 * 1024 * 1024
"""Maximum bytes of cached lists in a process."""

_FIGURES_BYTES: Final = 4 * 1024 * 1024
_VECTORS_BYTES: Final = 1024 * 1024
_HIT_BYTES: Final = 1024
"""Approximate size of a hit without its text."""

_POOL_BYTES: Final = 4096
"""Approximate size of a repository's empty lists."""
_TERM_BYTES: Final = 200


class SnapshotKey(Struct, frozen=True):
    """A snapshot of one repository, in one configuration."""

    repo_id: RepoId
    store_id: str
    config_fingerprint: str
    answers_key: str
    snapshot_id: str


QueryKey: TypeAlias = tuple[object, ...]
"""Everything that determines the repositories' answers to a query."""


class PoolSet(Struct, frozen=True):
    """Lists of the repositories that have answered a search.

    Attributes:
        fallback: reason why `strategy` is not the requested strategy; empty if it is.
        asked: requested length of each repository's lists.
        limits: limits hit by the queries.
        warnings: warnings of the queries.
        whole: False if longer lists were requested and could not all be returned.
        verdicts: for some skipped repositories, whether they could have changed the answer.
    """

    strategy: str
    pools: Mapping[RepoId, PoolResponse] = field(default_factory=dict)
    figures: Mapping[RepoId, CollectionStatistics] = field(default_factory=dict)
    fallback: str = ""
    skipped: tuple[RepoId, ...] = ()
    asked: Mapping[RepoId, int] = field(default_factory=dict)
    limits: tuple[tuple[RepoId | None, LimitHit], ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    whole: bool = True
    verdicts: Mapping[RepoId, bool] = field(default_factory=dict)


class CoordinatorCache:
    """A cache of lists, statistics and vectors, each within a budget of bytes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Create an empty cache; a budget of 0 disables the cache."""
        share = min(1.0, most_bytes / MOST_BYTES)
        self.lists: LruCache[QueryKey, PoolSet] = LruCache(most_bytes)
        self.figures: LruCache[tuple[SnapshotKey, SearchRequest], CollectionStatistics] = LruCache(
            int(_FIGURES_BYTES * share)
        )
        self.vectors: LruCache[tuple[str, str], EncodedQuery] = LruCache(
            int(_VECTORS_BYTES * share)
        )


def snapshot_key(repo_id: RepoId, description: RepoDescription) -> SnapshotKey:
    """Return the key of the snapshot that a repository reports as active."""
    return SnapshotKey(
        repo_id,
        description.store_id,
        description.config_fingerprint,
        description.answers_key,
        description.snapshot_id or "",
    )


def plain_search(search: SearchRequest) -> SearchRequest:
    """Return the search without fields that have no effect on the answer."""
    return replace(search, timeout_ms=0)


def query_key(
    workspace_config_hash: str,
    request: FederatedRequest,
    search: SearchRequest,
    force: EffectiveSettings,
    plan: CohortPlan,
    descriptions: Mapping[RepoId, RepoDescription],
) -> QueryKey:
    """Return the cache key of a query over repositories in their reported states.

    The key omits concurrency, timeout and the order of the selected repositories.
    """
    return (
        workspace_config_hash,
        plain_search(search),
        force.strategy,
        # Folding extends lists only if the request does not set their length.
        (force.top, force.per_repo_top, request.per_repo_top is None),
        (force.max_repos, force.fold, request.strict),
        tuple(sorted(request.select)),
        tuple(sorted(request.only)),
        tuple(map(str, request.base_dirs)),
        tuple(
            (
                snapshot_key(repo, descriptions[repo]),
                plan.corpora_of(repo),
                descriptions[repo].notices,
            )
            for repo in plan.admitted()
        ),
    )


def size_of(remembered: PoolSet) -> int:
    """Return the approximate size of cached lists in bytes."""
    hits = [
        hit
        for pool in remembered.pools.values()
        for hits in (pool.blended, *(corpus_hits for _, corpus_hits in pool.corpora))
        for hit in hits
    ]
    size_of_hits = sum(_HIT_BYTES + len(hit.content) for hit in hits) + _HIT_BYTES
    # The statistics of all repositories contain the same words.
    first = next(iter(remembered.figures.values()), None)
    counted = 0 if first is None else len(remembered.figures) * figures_size(first)
    return size_of_hits + counted + _POOL_BYTES * len(remembered.pools)


def figures_size(figures: CollectionStatistics) -> int:
    """Return the approximate size of statistics in bytes."""
    return _TERM_BYTES * (len(figures.terms) + 1)
