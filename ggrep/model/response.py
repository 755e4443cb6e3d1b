"""The answer of a repository: hits, totals and origin."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.model.confidence import Confidence, TopFiles
from ggrep.model.constraints import (
    ChunkType,
    Commit,
    Count,
    LanguageName,
    Named,
    Positive,
    RepoPath,
    Sha256,
    hides,
    may_grow,
    named,
)
from ggrep.model.corpus import Corpus
from ggrep.model.limits import NOTHING_UNSEEN, LimitHit, Notice, Unseen
from ggrep.model.request import SearchRequest

_OTHERWISE: Final[Mapping[str, str | None]] = {
    "row_id": None,
    "path": None,
    "start_line": None,
    "end_line": None,
    "score": None,
    "definition": None,
    "chunk_type": "kind",
    "content_start_line": "contentStart",
}


class Extent(Struct, frozen=True):
    """A chunk of a file, with the lines to show."""

    start_line: Positive
    """First line, 1-based."""
    end_line: Positive
    """Last line, 1-based, inclusive."""


@hides("marks")
class HitLine(Struct, frozen=True, omit_defaults=True):
    """A line that matches, or a line of context."""

    line: Positive
    """Number of the line, 1-based."""
    text: str
    """The line without newline and control characters; for a long line, the part around its first
    match."""
    columns: tuple[tuple[Positive, Positive], ...]
    """For each match, the 1-based positions of its first and its last byte in the line; empty for a
    line of context."""
    marks: tuple[tuple[int, int], ...] = ()
    """Offsets of each match in `text`, in characters."""
    cut: Annotated[bool, (True,)] = False
    """Present when `text` is not the whole line."""


@hides("chunk_id", "components", "rule", "traits")
class Hit(Struct, frozen=True, omit_defaults=True):
    """A hit: a chunk that matches the query."""

    row_id: Sha256
    """Id of the chunk; equal for the same text at the same position in the same path."""
    chunk_id: str
    path: RepoPath
    start_line: Positive
    """First line of the chunk, 1-based."""
    end_line: Positive
    """Last line of the chunk, 1-based, inclusive."""
    score: float
    """Score that orders the list; comparable only within an answer."""
    lexical_score: float
    """Part of the score that comes from words; it breaks ties."""
    corpus: Annotated[Corpus, Corpus]
    """List of a federated answer that the chunk belongs to."""
    chunk_type: ChunkType
    name: str
    """Unqualified name of the definition or heading; empty for blocks."""
    qualified_name: str
    """The name after those of its enclosing definitions, joined with dots; empty without a name."""
    signature: str
    """Head of the definition on one line; empty for none."""
    breadcrumb: tuple[str, ...]
    """Enclosing definitions or headings, outermost first, without the name."""
    language: LanguageName
    is_anchor: bool
    """Whether the chunk is the file's header chunk."""
    content: str
    """Snippet, free of control characters; empty when none was requested."""
    content_start_line: Positive
    """Line of the snippet's first line, 1-based."""
    hidden_lines: Count
    """Lines of the chunk below the snippet."""
    components: tuple[tuple[str, float], ...] = ()
    """Parts of the score by name, if the request sets `explain`."""
    rule: str = ""
    """Rule that chose the hit, as in `ggrep.model.corpus.Allocation`; only for explanations."""
    traits: int = 0
    """Traits of the file among `ggrep.model.files.READING`."""
    lines: tuple[HitLine, ...] = ()
    """First matching lines of the chunk with the requested context, in the order of the file;
    absent unless lines are matched.
    """
    matching_lines: Count = 0
    """Number of the chunk's matching lines; present with `lines`."""
    definition: Extent | None = None
    """Lines of the whole definition; present when the chunk is only a part of it."""
    encoding: Named = ""
    """Encoding of the file, such as `cp1252` or `shift_jis_2004`; present if it is not UTF-8. The
    text of the answer is UTF-8."""


def federated_key(name: str) -> str | None:
    """Return the key of a Hit's field in a workspace answer; None if the field differs there."""
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def shortened(hit: Hit, size: int) -> Hit:
    """Return the hit with its content cut to at most `size` bytes, between characters.

    Removed lines, including the cut line if nothing of it remains, count as hidden lines.
    """
    content = hit.content.encode()[:size].decode(errors="ignore")
    lost = hit.content.count("\n") - content.count("\n") + (not content)
    return replace(hit, content=content, hidden_lines=hit.hidden_lines + lost)


@named("scan")
@hides("best")
class ScanFacts(Struct, frozen=True):
    """Extent of a scan of the work tree; present if the answer's `partial` is `scan`."""

    files: Count
    """Files that were examined."""
    listed_files: Count | None
    """Number of files to examine; null if the listing was incomplete."""
    bytes_read: Count = field(name="bytes")
    """Bytes that were examined."""
    matching_files: Count
    """Examined files that may be relevant."""
    ranked_files: Count
    """The best of the matching files, which were ranked."""
    complete: bool
    """Whether all files could be examined in time."""
    best: tuple[str, ...] = ()
    """Paths of the best files that may answer, the best first."""


QUERY_KINDS: Final = ("phrase", "symbol", "path", "error", "question", "words")
"""Kinds of a query."""
Freshness: TypeAlias = Literal["current", "behind", "unknown"]
"""Whether an index is known to match the work tree at the time of the request."""


@named("git")
class GitState(Struct, frozen=True):
    """The work tree the snapshot was taken from; null outside git."""

    head_sha: Commit | None
    """Commit of HEAD; null before the first commit."""
    dirty: bool | None
    """Whether tracked files differed from HEAD; null when unknown."""
    untracked_included: bool
    """Whether untracked files are also indexed."""


class Provenance(Struct, frozen=True):
    """The store and the snapshot of an answer.

    Attributes:
        degraded: whether the snapshot lacks changes of files that could not be indexed.
        partial: whether the first index is being built; `indexed_files` of `eligible_files` are
            searchable.
        scan: facts about a scan that answered before the first snapshot; `snapshot_id` is empty
            then.
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
    """Visible chunks with the word."""


@named("explain")
@may_grow
class Explanation(Struct, frozen=True):
    """Explanation of the answer; present if the request sets `explain`.

    Later versions can add keys.
    """

    kind: Annotated[str, QUERY_KINDS]
    """Kind of the query, which determines some weights."""
    rules: tuple[str, ...]
    """Rules that the form of the query triggered."""
    terms: tuple[Term, ...]
    """Words that were scored."""
    quotas: Mapping[str, Count]
    """Hits assigned to each bucket; empty in balanced mode."""
    candidate_mix: Mapping[str, Count]
    """Scored chunks by corpus, before any cut."""
    returned_mix: Mapping[str, Count]
    """Hits of the answer by corpus."""
    cuts: Mapping[str, Count]
    """Hits left out, by cause: the limit per file, or a weak answer."""
    confidence: Mapping[str, float]
    """Signals of the confidence: the highest `evidence` of the best ten files, the shares `stem`
    and `found` of the query's words, the `weight` of these words, and the share `unknown` of
    missing words."""
    weights: Mapping[str, float]
    """Weights of the blend."""
    segments: Count
    """Segments that were read."""


@named("admission")
@may_grow
class Admitted(Struct, frozen=True):
    """The request's waiting time, and the daemon's load at that time."""

    queued: bool
    """Whether the request had to wait."""
    waited_ms: Count
    """Waiting time of the request, milliseconds."""
    in_flight: Count
    """Number of requests that were being answered."""
    queue_depth: Count
    """Number of requests that waited."""


class FileMatches(Struct, frozen=True):
    """A file with lines that match."""

    path: RepoPath
    lines: Count
    """Number of matching lines."""


@named("matches")
class MatchTotals(Struct, frozen=True, omit_defaults=True):
    """Totals of all matches of a text or expression, shown or not."""

    lines: Count
    """Number of matching lines."""
    files: Count
    """Number of files with matching lines."""
    by_file: tuple[FileMatches, ...] = ()
    """All files with matching lines, when the request lists them."""


class Answer(Struct, frozen=True, kw_only=True):
    """The common part of all answers of a repository.

    Attributes:
        timings_ms: milliseconds of each stage; empty in deterministic mode.
        admitted: admission by a daemon; None in deterministic mode or without a daemon.
    """

    request_id: str
    query_fingerprint: str
    provenance: Provenance
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    timings_ms: tuple[tuple[str, int], ...] = ()
    admitted: Admitted | None = None


def own_field(name: str) -> str | None:
    """Return the key of a field that is specific to a kind of answer; None for common fields."""
    return None if name in {*Answer.__struct_fields__, "request", "next_cursor"} else name


class QueryResponse(Answer, frozen=True):
    """The answer to a SearchRequest; `matched` is None unless lines are matched."""

    request: SearchRequest
    confidence: Confidence
    hits: tuple[Hit, ...]
    segments: int = 0
    explanation: Explanation | None = None
    matched: MatchTotals | None = None


class PoolResponse(Struct, frozen=True):
    """The reply to a PoolRequest: ranked lists, best first.

    Attributes:
        blended: hits of all requested corpora in one list.
        corpora: a list for each requested corpus.
        leading: signals for the confidence of the merged answer.
        matched: counts of matches; None unless lines are matched.
    """

    provenance: Provenance
    blended: tuple[Hit, ...]
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]
    leading: TopFiles
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    matched: MatchTotals | None = None


class RepoDescription(Struct, frozen=True):
    """The description of a repository that a coordinator needs before a query.

    Attributes:
        snapshot_id: the active snapshot; None before the first snapshot.
        embed_key: key of the encoder; vectors of repositories with equal keys are comparable.
        lexical_key: key of the lexical layout; statistics with equal keys can be added.
        schema_key: key of the index format; the same code can read stores with equal keys.
        counts: numbers of visible chunks by corpus.
        has_vectors: whether queries need a vector.
        notices: warnings that apply to every query.
        moment: warnings that change over time, which deterministic answers omit.
        answers_key: key of the settings and ranking rules that affect answers but not the index;
            empty if unknown.
        profile: name of the profile that restricts hits and slates; empty for none.
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
