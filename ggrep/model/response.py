"""The answer of one repository."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.confidence import Confidence, Leading
from ggrep.model.constraints import Commit, Count, may_grow, named
from ggrep.model.corpus import Corpus
from ggrep.model.hit import Hit
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import SearchRequest
from ggrep.model.scan import ScanFacts
from ggrep.model.unseen import NOTHING_UNSEEN, Unseen

QUERY_KINDS: Final = ("phrase", "symbol", "path", "error", "question", "words")
"""What a query may read as."""
Freshness: TypeAlias = Literal["current", "behind", "unknown"]
"""Whether an index is known to hold the work tree as it is now; it is as old as the asking."""


@named("git")
class GitState(Struct, frozen=True):
    """The work tree the snapshot was taken from; null outside git."""

    head_sha: Commit | None
    """Commit of HEAD; null before the first one."""
    dirty: bool | None
    """Tracked files differed from HEAD; null when unknown."""
    untracked_included: bool
    """Files that git does not track are indexed as well."""


class Provenance(Struct, frozen=True):
    """Which store and snapshot an answer came from.

    Attributes:
        degraded: the snapshot left out changes of files that could not be indexed.
        partial: the first index is still being built; `indexed_files` of `eligible_files` are
            searchable.
        scan: what was seen where the answer comes of no snapshot at all, as nothing is published
            yet; `snapshot_id` is empty then.
    """

    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    snapshot_id: str
    git: GitState | None
    degraded: bool
    partial: bool
    indexed_files: int
    eligible_files: int
    scan: ScanFacts | None = None


@may_grow
class Term(Struct, frozen=True):
    """A word that was scored."""

    term: str
    """The word, as indexed."""
    chunks: Count
    """Visible chunks that hold it."""


@named("explain")
@may_grow
class Explanation(Struct, frozen=True):
    """How the answer came about; present when the request asked to explain.

    Open: more may be told later.
    """

    kind: Annotated[str, QUERY_KINDS]
    """Kind of the query, which some weights follow."""
    rules: tuple[str, ...]
    """What was done because of how the query reads."""
    terms: tuple[Term, ...]
    """Words that were scored."""
    quotas: Mapping[str, Count]
    """Hits dealt to each bucket; empty in balanced mode."""
    candidate_mix: Mapping[str, Count]
    """Scored chunks by corpus, before any cut."""
    returned_mix: Mapping[str, Count]
    """Hits of the answer by corpus."""
    cuts: Mapping[str, Count]
    """Hits passed over, by why: their file had its share, or the answer is weak."""
    confidence: Mapping[str, float]
    """What the confidence was judged by: the most `evidence` of the best ten files, the shares
    `stem` and `found` of what the query spells, the `weight` of its words, the share `unknown` of
    them.
    """
    weights: Mapping[str, float]
    """The blend in force."""
    segments: Count
    """Segments that were read."""


@named("admission")
@may_grow
class Admitted(Struct, frozen=True):
    """How the question was let in."""

    queued: bool
    """It had to wait."""
    waited_ms: Count
    """How long, milliseconds."""
    in_flight: Count
    """Questions that were being answered."""
    queue_depth: Count
    """Questions that waited."""


class FileMatches(Struct, frozen=True):
    """A file with lines that match."""

    path: str
    """Path below the repository's root, with forward slashes."""
    lines: Count
    """How many match."""


@named("matches")
class MatchTotals(Struct, frozen=True, omit_defaults=True):
    """Everything that matches a text or expression, shown or not."""

    lines: Count
    """Lines that match."""
    files: Count
    """Files that have any."""
    by_file: tuple[FileMatches, ...] = ()
    """All of these files, where the request lists them."""


class QueryResponse(Struct, frozen=True):
    """The answer to a SearchRequest.

    Attributes:
        confidence: how well the best hits fit the query.
        segments: how many were searched.
        timings_ms: stage to milliseconds; empty in deterministic mode.
        admitted: None in deterministic mode, and where nobody admits requests.
        matched: None where no lines are matched.
    """

    request: SearchRequest
    request_id: str
    query_fingerprint: str
    provenance: Provenance
    confidence: Confidence
    hits: tuple[Hit, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    segments: int = 0
    timings_ms: tuple[tuple[str, int], ...] = ()
    explanation: Explanation | None = None
    admitted: Admitted | None = None
    matched: MatchTotals | None = None


class PoolResponse(Struct, frozen=True):
    """The answer to a PoolRequest: lists in the repository's own order, best first.

    Attributes:
        blended: hits of all requested corpora in one list.
        corpora: one list for each requested corpus.
        leading: what the confidence of a merged answer is judged by.
        matched: None where no lines are matched.
    """

    provenance: Provenance
    blended: tuple[Hit, ...]
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]
    leading: Leading
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    matched: MatchTotals | None = None


class RepoDescription(Struct, frozen=True):
    """What a coordinator must know of a repository before it asks.

    Attributes:
        snapshot_id: None when nothing was ever published.
        embed_key: repositories with equal keys have comparable vectors.
        lexical_key: repositories with equal keys have term statistics that add up.
        schema_key: repositories with equal keys can be read by the same code.
        counts: visible chunks by corpus.
        has_vectors: a query is encoded before it is scored.
        freshness: at the moment of asking.
        notices: what stands in the way of good answers, whatever the question.
        moment: what is true of the moment of asking alone; no deterministic answer holds it.
        answers_key: equal where one question over one snapshot has one answer: of the settings
            and the ranking that shape answers and no index; empty when unknown.
        profile: name of the one whose view narrows its hits and slates; empty for none.
        unseen: files that its answers cannot show.
    """

    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    snapshot_id: str | None
    degraded: bool
    embed_key: str
    lexical_key: str
    schema_key: str
    counts: tuple[tuple[Corpus, int], ...]
    has_vectors: bool = True
    freshness: Freshness = "unknown"
    notices: tuple[Notice, ...] = ()
    answers_key: str = ""
    moment: tuple[Notice, ...] = ()
    profile: str = ""
    unseen: Unseen = NOTHING_UNSEEN
