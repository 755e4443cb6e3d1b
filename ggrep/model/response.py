"""The answer of one repository."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ggrep.model.confidence import Confidence, Leading
from ggrep.model.corpus import Corpus
from ggrep.model.hit import Hit
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import SearchRequest
from ggrep.model.scan import ScanFacts
from ggrep.model.unseen import NOTHING_UNSEEN, Unseen

Freshness: TypeAlias = Literal["current", "behind", "unknown"]
"""Whether an index is known to hold the work tree as it is now; it is as old as the asking."""


class GitState(Struct, frozen=True):
    """The work tree a snapshot was taken from."""

    head_sha: str | None
    dirty: bool | None
    untracked_included: bool


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


class Explanation(Struct, frozen=True):
    """How an answer came about; no vectors, no file content.

    Attributes:
        kind: of the query, see `ggrep.search.query.kinds`.
        rules: what was done because of how the query reads, in words.
        terms: scored query terms with their document frequency.
        quotas: hits dealt to each bucket, empty in balanced mode.
        candidates: scored rows by corpus, before any cut.
        returned: hits of the answer by corpus.
        cuts: hits passed over, by why: `per_file`, `low_confidence`.
        confidence: what the confidence was judged by.
        weights: the blend in force.
    """

    kind: str
    rules: tuple[str, ...]
    terms: tuple[tuple[str, int], ...]
    quotas: tuple[tuple[str, int], ...]
    candidates: tuple[tuple[str, int], ...]
    returned: tuple[tuple[str, int], ...]
    cuts: tuple[tuple[str, int], ...]
    confidence: tuple[tuple[str, float], ...]
    weights: tuple[tuple[str, float], ...]
    segments: int


class Admitted(Struct, frozen=True):
    """How a request was let in.

    Attributes:
        in_flight: requests at work when it was, itself among them.
        queue_depth: requests that waited on.
    """

    was_queued: bool
    waited_ms: float
    in_flight: int
    queue_depth: int


class FileMatches(Struct, frozen=True):
    """A file with the number of its lines that match."""

    path: str
    lines: int


class MatchTotals(Struct, frozen=True):
    """Everything that matches a text or expression, shown or not.

    Attributes:
        lines: matching lines.
        files: files that have any.
        by_file: these files, in the order of the requested paths, then by path; filled where the
            request lists files.
    """

    lines: int
    files: int
    by_file: tuple[FileMatches, ...] = ()


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
